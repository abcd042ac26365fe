import { useEffect, useRef } from 'preact/hooks'
import { announcement } from './announcements.ts'
import type { Execution } from './execution.ts'
import { isHelpOpen, keyTable } from './keys.ts'
import { lazyPanel } from './lazy-panel.tsx'
import { zoneName } from './moments.ts'
import { ExecutionsPage } from './pages/executions-page.tsx'
import { RunPage } from './pages/run-page.tsx'
import { AskPlace } from './parts/ask.tsx'
import { Notice } from './parts/small.tsx'
import { place } from './place.ts'
import { preferences } from './preferences.ts'
import { session } from './session.ts'

const FleetPage = lazyPanel(async () => (await import('./later.ts')).FleetPage)
const BatchPage = lazyPanel(async () => (await import('./later.ts')).BatchPage)
const ComparePage = lazyPanel(async () => (await import('./later.ts')).ComparePage)

export interface AppProps {
  readonly execution: Execution | undefined
  /** All executions are behind this page; otherwise one run shows itself. */
  readonly isHub: boolean
  /** Who started the hub has a fleet. */
  readonly hasFleet: boolean
}

/** The frame around every page. */
export function App({ execution, isHub, hasFleet }: AppProps) {
  return (
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <TopBar isHub={isHub} hasFleet={hasFleet} execution={execution} />
      <PageHere execution={execution} />
      <p class="unseen" role="status" aria-live="polite">
        {announcement.value}
      </p>
      <AskPlace />
      {isHelpOpen.value && <Help />}
    </>
  )
}

function PageHere({ execution }: { readonly execution: Execution | undefined }) {
  const known = session.value
  const route = place.value
  if (known.state === 'none')
    return (
      <main class="page lone" id="main">
        <h1>weave</h1>
        <Notice kind="problem">{known.message}</Notice>
      </main>
    )
  if (known.state === 'asking') return <main class="page lone" id="main" />
  if (route.page === 'executions') return <ExecutionsPage />
  if (route.page === 'compare') return <ComparePage />
  if (route.page === 'fleet') return <FleetPage />
  if (route.page === 'batch')
    return <BatchPage key={route.batch} batch={route.batch} parameters={route.parameters} />
  if (route.page === 'run' && execution)
    return <RunPage key={execution.name} execution={execution} route={route} />
  return (
    <main class="page lone" id="main">
      <h1>Nothing is here</h1>
      <p>
        <a href="/">All executions</a>
      </p>
    </main>
  )
}

const themes = { auto: 'light', light: 'dark', dark: 'auto' } as const

function TopBar({ isHub, hasFleet, execution }: AppProps) {
  const known = session.value
  const { theme, zone } = preferences
  return (
    <header class="top">
      {isHub ? (
        <a class="brand" href="/" title="All executions (o)">
          weave
        </a>
      ) : (
        <span class="brand">weave</span>
      )}
      {hasFleet && (
        <a
          class="top-button"
          href="/fleet"
          title="The fleet (F)"
          aria-current={place.value.page === 'fleet' ? 'page' : undefined}
        >
          Fleet
        </a>
      )}
      {execution && place.value.page === 'run' && <span class="crumb">{execution.name}</span>}
      <span class="spring" />
      {known.state === 'open' && known.mode === 'readonly' && <span class="badge">read only</span>}
      <button
        type="button"
        class="top-button zone"
        title="Local time or UTC (u)"
        onClick={() => {
          zone.value = zone.value === 'utc' ? 'local' : 'utc'
        }}
      >
        {zoneName()}
      </button>
      <button
        type="button"
        class="top-button"
        title="Theme: as the system, light, dark"
        aria-label={`Theme: ${theme.value}`}
        onClick={() => {
          theme.value = themes[theme.value]
        }}
      >
        {{ auto: 'Auto', light: 'Light', dark: 'Dark' }[theme.value]}
      </button>
      <button
        type="button"
        class="top-button"
        aria-label="Keys"
        title="Keys (?)"
        onClick={() => {
          isHelpOpen.value = true
        }}
      >
        ?
      </button>
    </header>
  )
}

const keyNames: Readonly<Record<string, string>> = {
  ' ': 'Space',
  ArrowDown: '↓',
  ArrowUp: '↑',
  Escape: 'Esc',
}

function Help() {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const close = (): void => {
    isHelpOpen.value = false
  }
  const { letters } = preferences
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={close}>
      <div class="side-head">
        <h2 id="help-title">Keys</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={close}>
          ×
        </button>
      </div>
      <dl>
        {keyTable.flatMap(({ keys, does }) => [
          <dt key={`${does} keys`}>
            {(keys.length > 3 ? [keys[0] ?? '', '…', keys.at(-1) ?? ''] : keys).map(key => (
              <kbd key={key}>{keyNames[key] ?? key}</kbd>
            ))}
          </dt>,
          <dd key={does}>{does}</dd>,
        ])}
      </dl>
      <label class="option">
        <input
          type="checkbox"
          checked={letters.value === 'on'}
          onChange={event => {
            letters.value = event.currentTarget.checked ? 'on' : 'off'
          }}
        />
        Single letters are commands
      </label>
    </dialog>
  )
}
