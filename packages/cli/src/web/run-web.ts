import { basename } from 'node:path'
import {
  createDashboard,
  createDesk,
  createReaders,
  type ExecutionLayout,
  type ExecutionOptions,
  systemClock,
} from '@weave/runtime'
import { asThread, version } from '../program.ts'
import { pageAssets } from './assets.ts'

export interface RunWeb {
  /** For the server of the run. */
  readonly server: Pick<ExecutionOptions['server'], 'http' | 'isPage' | 'modeOf'>
  /** Where a person gets in; `url` is that of the server. */
  link(url: string): string
  close(): Promise<void>
}

/** Pages of one run, on its own port. */
export async function openRunWeb(layout: ExecutionLayout, readonly: boolean): Promise<RunWeb> {
  const name = basename(layout.dir)
  const only = { name, dir: layout.dir }
  const desk = createDesk({ clock: systemClock, readonly })
  const readers = createReaders(asThread('dashboard-reader'), { isPolite: true })
  const dashboard = createDashboard({
    executions: { all: { only }, find: asked => (asked === name ? only : undefined) },
    assets: await pageAssets(),
    desk,
    readers,
    facts: { version, hub: false, readonly },
    clock: systemClock,
  })
  return {
    server: { http: dashboard.http, isPage: dashboard.isPage, modeOf: desk.modeOf },
    link: url => dashboard.link(Number(new URL(url).port), { name, printed: true }).url,
    close: readers.close,
  }
}
