import { useEffect } from 'preact/hooks'
import { decisionText, durationText, type ExecutionHead, type SendResult, untilText } from 'weave-client'
import { now } from '../clock.ts'
import type { Execution } from '../execution.ts'
import { onKey } from '../keys.ts'
import { askFirst } from '../parts/ask.tsx'
import { CommandButton } from '../parts/command-button.tsx'
import { Mark } from '../parts/mark.tsx'
import { CommandLine, Moment, Notice, shellWord } from '../parts/small.tsx'
import { panelRoute } from '../place.ts'
import { addressOf } from '../routes.ts'
import { session } from '../session.ts'

type WaitingGate = NonNullable<ExecutionHead['gates']['waiting']>

interface GateCardProps {
  readonly name: string
  readonly hank: string
  readonly live: boolean
  readonly gate: WaitingGate
  /** Keys are for the card in sight. */
  readonly hasKeys?: boolean
}

/** What a run waits for, and the two answers. */
export function GateCard({ name, hank, live, gate, hasKeys = false }: GateCardProps) {
  const known = session.value
  const mayDecide = live && known.state === 'open' && known.mode === 'readandwrite'
  useEffect(() => {
    if (hasKeys && mayDecide) return onKey('approve', () => askDecision(name, gate, 'approve'))
    return undefined
  }, [hasKeys, mayDecide, name, gate.seq])
  return (
    <article class="gate-card" aria-label={`Gate ${gate.gateId}`}>
      <header>
        <Mark status="waits" label="waits" />
        <h3>{gate.message ?? `Gate ${gate.gateId}`}</h3>
        <span class="quiet">
          {hank} · {gate.next === undefined ? 'before the end' : `before ${gate.next}`} · waits for{' '}
          {durationText(now.value - Date.parse(gate.since))}
          {gate.round > 1 ? ` · round ${gate.round}` : ''}
          {gate.deadline === undefined ? '' : ` · expires ${untilText(gate.deadline, now.value)}`}
        </span>
      </header>
      {gate.files.length > 0 && (
        <ul class="gate-files">
          {gate.files.map(({ path, action }) => (
            <li key={path}>
              <a
                href={addressOf(
                  panelRoute(name, 'files', {
                    path,
                    ...(gate.checkpoint === undefined ? {} : { at: gate.checkpoint }),
                  }),
                )}
              >
                {path}
              </a>{' '}
              <span class="quiet">{action}</span>
            </li>
          ))}
        </ul>
      )}
      {mayDecide && (
        <div class="buttons">
          <CommandButton
            label="Approve"
            kind="main"
            act={() => decide(name, gate.seq, { decision: 'approve' })}
          />
          <button type="button" class="button" onClick={() => askDecision(name, gate, 'reject')}>
            Reject …
          </button>
          <button type="button" class="link-button" onClick={() => askDecision(name, gate, 'approve')}>
            Approve with a note …
          </button>
        </div>
      )}
      {!live && (
        <CommandLine
          what="No server is at work. Decide with"
          command={`weave gate approve ${shellWord(name)}`}
        />
      )}
    </article>
  )
}

function askDecision(name: string, gate: WaitingGate, decision: 'approve' | 'reject'): void {
  askFirst({
    title: `${decision === 'approve' ? 'Approve' : 'Reject'} at gate ${gate.gateId}?`,
    body: gate.message === undefined ? undefined : <p>{gate.message}</p>,
    yes: decision === 'approve' ? 'Approve' : 'Reject',
    isGrave: decision === 'reject',
    note: { label: decision === 'reject' ? 'What should be different' : 'Note' },
    act: ({ note }) => decide(name, gate.seq, { decision, ...(note === '' ? {} : { note }) }),
  })
}

interface Decision {
  readonly decision: 'approve' | 'reject'
  readonly note?: string
}

async function decide(name: string, seq: number, decision: Decision): Promise<SendResult> {
  try {
    const { sendOnce } = await import('../live.ts')
    return await sendOnce(name, 'gate.decide', { seq, ...decision })
  } catch {
    return { ok: false, code: 'NOT_CONNECTED', message: 'The program behind this page does not answer.' }
  }
}

/** What waits, what will, and what was decided, by whom and why. */
export function GatesPanel({ execution }: { readonly execution: Execution }) {
  const head = execution.head.value
  if (!head) return null
  const { waiting, armed, planned, past } = head.gates
  return (
    <section class="panel gates" aria-label="Gates">
      {waiting ? (
        <GateCard name={execution.name} hank={head.hank.name} live={head.live} gate={waiting} />
      ) : (
        <Notice>Nothing waits for a person.</Notice>
      )}
      {(armed.length > 0 || planned.length > 0) && <h2>To come</h2>}
      <ul class="plain-list">
        {armed.map(gate => (
          <li key={gate.gateId}>
            <Mark status="idle" label="hold" />
            <b>{gate.gateId}</b> <span class="badge">hold</span>
            <span class="quiet">
              {gate.before === undefined ? 'before the next codon' : `before ${gate.before}`}
            </span>
            {execution.maySteer.value && (
              <CommandButton
                label="Release"
                act={() => execution.send('gate.release', { gateId: gate.gateId })}
              />
            )}
          </li>
        ))}
        {planned.map(gate => (
          <li key={gate.id}>
            <Mark status="pending" label="planned" />
            <b>{gate.id}</b>
            <span class="quiet">
              {gate.before === undefined ? `after ${gate.after ?? 'the end'}` : `before ${gate.before}`}
              {gate.message === undefined ? '' : ` · ${gate.message}`}
            </span>
          </li>
        ))}
      </ul>
      {past.length > 0 && <h2>Decided</h2>}
      <ul class="plain-list">
        {past.map(gate => (
          <li key={`${gate.gateId} ${gate.time}`}>
            <Mark status={gate.decision} label={gate.decision} />
            <b>{gate.gateId}</b>
            <span>{decisionText(gate)}</span>
            <span class="quiet">
              <Moment at={gate.time} />
            </span>
            {gate.note !== undefined && <blockquote>{gate.note}</blockquote>}
          </li>
        ))}
      </ul>
    </section>
  )
}
