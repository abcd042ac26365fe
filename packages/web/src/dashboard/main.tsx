import { effect, signal } from '@preact/signals'
import { render } from 'preact'
import type { Hello } from 'weave-client'
import { executionAddress, firstEventsAddress } from './addresses.ts'
import { App } from './app.tsx'
import { startClock } from './clock.ts'
import { type Execution, openExecution } from './execution.ts'
import { installHarmlessText } from './harmless-text.ts'
import { expectAnswers } from './host.ts'
import { startKeys } from './keys.ts'
import { startZone } from './moments.ts'
import { place, startPlace } from './place.ts'
import { startPreferences } from './preferences.ts'
import type { Route } from './routes.ts'
import { session, startSession } from './session.ts'
import { filterOf } from './stream-filter.ts'

/** Starts the page. The key of the link leaves the address before anything else is done. */
export function startDashboard(page: Window): void {
  const starting = startSession(page)
  claimPolicy(page)
  installHarmlessText()
  startPreferences(page.document)
  startPlace(page)
  startClock(page.document)
  startZone()
  const execution = signal<Execution | undefined>(undefined)
  const isHub = signal(true)
  const hasFleet = signal(false)
  startKeys(page.document, () => execution.peek())
  effect(() => keepExecution(execution))
  effect(() => {
    const route = place.value
    const about = aboutOf(route, execution.value)
    page.document.title = about === '' ? 'weave' : `${about} – weave`
  })
  const root = page.document.getElementById('app')
  if (root)
    effect(() =>
      render(<App execution={execution.value} isHub={isHub.value} hasFleet={hasFleet.value} />, root),
    )
  void starting
  void readHello(hello => {
    isHub.value = hello.hub
    hasFleet.value = hello.fleet
  })
}

function aboutOf(route: Route, execution: Execution | undefined): string {
  if (route.page === 'run') return execution?.head.value?.hank.name ?? route.name
  if (route.page === 'batch') return route.batch
  return route.page === 'fleet' ? 'Fleet' : ''
}

/** One store for the execution in sight; the one before is dropped, so that nothing of it is shown for another. */
function keepExecution(execution: { value: Execution | undefined; peek: () => Execution | undefined }): void {
  const route = place.value
  const name = route.page === 'run' && session.value.state === 'open' ? route.name : undefined
  const open = execution.peek()
  if (open?.name === name) return
  open?.close()
  if (name !== undefined && route.page === 'run' && route.panel === 'stream') {
    const { parameters } = route
    const at = Number(parameters['at']) || undefined
    expectAnswers([firstEventsAddress({ name, filter: filterOf(parameters), at }), executionAddress(name)])
  }
  execution.value = name === undefined ? undefined : openExecution(name)
}

async function readHello(take: (hello: Hello) => void): Promise<void> {
  try {
    const answer = await fetch('/api/hello')
    if (answer.ok) take((await answer.json()) as Hello)
  } catch {
    // The page says by itself that nobody answers.
  }
}

interface PolicyMaker {
  readonly createPolicy: (name: string, rules: object) => unknown
}

/** The one policy that the host allows is made here and lets nothing through, so that nobody else can make it. */
function claimPolicy(page: Window): void {
  const { trustedTypes } = page as { readonly trustedTypes?: PolicyMaker }
  trustedTypes?.createPolicy('weave', {})
}
