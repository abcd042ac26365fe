import type { ComponentType } from 'preact'
import type { Execution } from '../execution.ts'
import { lazyPanel } from '../lazy-panel.tsx'
import { CheckpointsPanel } from '../panels/checkpoints-panel.tsx'
import { FilesPanel } from '../panels/files-panel.tsx'
import { GateCard, GatesPanel } from '../panels/gates-panel.tsx'
import { CostsPanel, SentinelsPanel, SettingsPanel } from '../panels/small-panels.tsx'
import { StreamPanel } from '../panels/stream-panel.tsx'
import { TimelinePanel } from '../panels/timeline-panel.tsx'
import { EventPane } from '../parts/event-pane.tsx'
import { PlanList } from '../parts/plan.tsx'
import { RunHeader } from '../parts/run-header.tsx'
import { Notice } from '../parts/small.tsx'
import { panelRoute } from '../place.ts'
import { addressOf, type Panel, panels, type Route } from '../routes.ts'

type RunRoute = Extract<Route, { page: 'run' }>

const shown: Readonly<Record<Panel, ComponentType<{ readonly execution: Execution }>>> = {
  stream: StreamPanel,
  timeline: TimelinePanel,
  files: FilesPanel,
  checkpoints: CheckpointsPanel,
  budgets: lazyPanel(async () => (await import('../later.ts')).BudgetsPanel),
  sentinels: SentinelsPanel,
  gates: GatesPanel,
  costs: CostsPanel,
  settings: SettingsPanel,
}

/** One execution: what it is, its plan, one panel, and what is selected there. */
export function RunPage({ execution, route }: { readonly execution: Execution; readonly route: RunRoute }) {
  const head = execution.head.value
  const problem = execution.problem.value
  const PanelHere = shown[route.panel]
  const seq = Number(route.parameters['at'])
  const hasPane = route.panel === 'stream' && seq > 0
  const waiting = head?.gates.waiting
  return (
    <main class="page run" id="main" data-panel={route.panel} data-pane={hasPane}>
      {problem !== undefined && <Notice kind="problem">{problem}</Notice>}
      {head && waiting && route.panel !== 'gates' && (
        <section class="gate-cards" aria-label="Waiting for you">
          <GateCard name={execution.name} hank={head.hank.name} live={head.live} gate={waiting} hasKeys />
        </section>
      )}
      <RunHeader execution={execution} />
      <PlanList execution={execution} />
      <div class="centre">
        <Tabs route={route} waits={waiting !== undefined} />
        <PanelHere execution={execution} />
      </div>
      {hasPane && <EventPane name={execution.name} seq={seq} />}
    </main>
  )
}

const titles: Readonly<Record<Panel, string>> = {
  stream: 'Stream',
  timeline: 'Timeline',
  files: 'Files',
  checkpoints: 'Checkpoints',
  budgets: 'Budgets',
  sentinels: 'Sentinels',
  gates: 'Gates',
  costs: 'Costs',
  settings: 'Settings',
}

/** On a phone the first four and the rest behind a menu stand at the bottom. */
function Tabs({ route, waits }: { readonly route: RunRoute; readonly waits: boolean }) {
  const link = (panel: Panel) => (
    <a
      key={panel}
      href={addressOf(panelRoute(route.name, panel))}
      aria-current={panel === route.panel ? 'page' : undefined}
      data-alert={panel === 'gates' && waits}
      title={`${titles[panel]} (${panels.indexOf(panel) + 1})`}
    >
      {titles[panel]}
    </a>
  )
  return (
    <nav class="tabs" aria-label="Panels">
      {panels.slice(0, 4).map(link)}
      <span class="more-tabs">{panels.slice(4).map(link)}</span>
      <details class="more-menu" key={route.panel}>
        <summary>{panels.indexOf(route.panel) >= 4 ? titles[route.panel] : 'More'}</summary>
        <div>{panels.slice(4).map(link)}</div>
      </details>
    </nav>
  )
}
