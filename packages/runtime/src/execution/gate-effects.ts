import { mkdir } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import type { CheckpointStore } from '../checkpoint/index.ts'
import { readRegularFile, resolveInside, writeFileAtomic } from '../files/index.ts'
import { createMatcher, messageOf } from '../kit/index.ts'
import type { GateEffects, RollbackEffects } from '../runner/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'
import type { Recovering } from './rollback-effects.ts'

export interface GateEffectsOptions {
  readonly layout: ExecutionLayout
  readonly store: CheckpointStore
  readonly rollback: Pick<RollbackEffects, 'safetyCheckpoint'>
  readonly recovering: Pick<Recovering, 'planRestore'>
  readonly assertHeld: () => void
}

/** What asking a person needs of the files of an execution. */
export function createGateEffects(options: GateEffectsOptions): GateEffects {
  const { store, rollback, recovering } = options
  const user = ownName()
  return {
    ...(user !== undefined && { user }),
    async shown({ from, to, patterns }) {
      const matcher = createMatcher(patterns)
      const compared = await store.diff({ from, to })
      if (!matcher.ok || !compared.ok) return []
      return compared.files
        .filter(({ path }) => matcher.matches(path, false))
        .slice(0, mostFiles)
        .map(({ path, status }) => ({ path, action: actions[status] }))
    },
    async changedSince(sha) {
      const planned = await recovering.planRestore(sha)
      if (!planned.ok) return []
      // What a way back would undo, named by what was done.
      const { create, change, delete: removed } = planned.plan
      return [
        ...removed.map(path => ({ path, action: 'created' as const })),
        ...change.map(path => ({ path, action: 'modified' as const })),
        ...create.map(path => ({ path, action: 'deleted' as const })),
      ]
    },
    keep: () => rollback.safetyCheckpoint(),
    appendNote: (path, note) => appendNote(path, note, options),
  }
}

const mostFiles = 200

const actions = {
  added: 'created',
  deleted: 'deleted',
  modified: 'modified',
  'type-changed': 'modified',
  'mode-changed': 'modified',
} as const

const mostNoteBytes = 16 << 20

type AppendNote = GateEffects['appendNote']

async function appendNote(
  path: Parameters<AppendNote>[0],
  { heading, text }: Parameters<AppendNote>[1],
  { layout, assertHeld }: Pick<GateEffectsOptions, 'layout' | 'assertHeld'>,
): ReturnType<AppendNote> {
  const inside = resolveInside(layout.agentRoot, path)
  if (!inside.ok) return { ok: false, message: `it is no place inside the workspace (${inside.reason})` }
  const target = inside.path
  const read = await readRegularFile(target, { maxBytes: mostNoteBytes })
  if (!read.ok && read.reason !== 'missing') return { ok: false, message: read.message }
  const before = read.ok ? read.bytes.toString('utf8') : ''
  if (before.split('\n').includes(heading)) return { ok: true }
  const gap = before === '' ? '' : before.endsWith('\n') ? '\n' : '\n\n'
  try {
    assertHeld()
    await mkdir(dirname(target), { recursive: true })
    await writeFileAtomic(target, `${before}${gap}${heading}\n\n${text}\n`, {
      mode: before === '' ? 0o644 : 'keep',
    })
    return { ok: true }
  } catch (error) {
    return { ok: false, message: messageOf(error) }
  }
}

/** A user without an entry in the list of users has no name. */
export function ownName(): string | undefined {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}
