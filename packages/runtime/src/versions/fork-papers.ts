import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { readRegularFile } from '../files/index.ts'
import { copyPrefix, executionIdOf } from '../journal/index.ts'
import type { Failure, Result } from '../kit/index.ts'
import { type Plan, plannedCodons } from '../plan/index.ts'
import { type ExecutionFile, type ForkOrigin, writeExecutionFile, writeOrigin } from '../workspace/index.ts'
import { writeForkRecord } from './fork-record.ts'
import { type MovedConversations, moveConversations } from './fork-sessions.ts'
import type { Making } from './fork-wish.ts'
import { copyArchive, copyRecords } from './fork-workspace.ts'

export type Papers = Result<
  { readonly origin: ForkOrigin; readonly isRehearsal: boolean; readonly notes: readonly string[] },
  Failure
>

/**
 * All of a fork that is not its workspace: the journal, what was written down about its codons, their conversations, and
 * where it comes from. Rejects with the system's error.
 */
export async function writePapers(making: Making, plan: Plan): Promise<Papers> {
  const { place, wish, point, part } = making
  const { layout, file, clock, environment } = place
  const prefix = await copyPrefix(layout.journal, part.journal, point.cut)
  const archived = await copyArchive(layout, part, point.state)
  if (!archived.ok) return { ...archived, cure: `Look at ${layout.archiveManifest}.` }
  await copyRecords(layout, part, point.state)
  const conversations = await moveConversations(await conversationMove(making))
  const words = `Forked from ${basename(layout.dir)} at ${point.label}.`
  const takesOver = wish.takeover !== undefined
  const written = await writeForkRecord({ layout: part, point, plan, takesOver, words, clock, environment })
  const isRehearsal = wish.rehearse || file.rehearsal === true
  const own = executionFileOf(making, isRehearsal)
  await writeExecutionFile(part.executionFile, own, { syncs: false })
  const origin = await originOf(making, { plan, prefix, conversations, own, ...written })
  await writeOrigin(part.originFile, origin)
  return { ok: true, origin, isRehearsal, notes: conversationNotes(conversations) }
}

function conversationNotes({ left }: MovedConversations): readonly string[] {
  if (left === 0) return []
  return [
    `The old workspace is named ${left} ${left === 1 ? 'time' : 'times'} in what a model thought and signed; that cannot be changed.`,
  ]
}

/** Agents name directories as the system does, without links on the way. */
async function conversationMove({ place, point, dir, part }: Making) {
  const { layout } = place
  const real = await realpath(layout.agentRoot).catch(() => layout.agentRoot)
  const to = join(await realpath(dirname(dir)), basename(dir), basename(layout.agentRoot))
  return {
    home: layout.agents,
    target: part.agents,
    state: point.state,
    from: [...new Set([layout.agentRoot, real])],
    to,
  }
}
function executionFileOf({ place, wish }: Making, isRehearsal: boolean): ExecutionFile {
  const { file, clock } = place
  const now = clock.now().toISOString()
  const { rehearsal: _, ...rest } = file
  const { hankPath, hankHash, hankName } = wish.takeover ?? file
  return {
    ...rest,
    hankPath,
    hankHash,
    hankName,
    createdAt: now,
    lastUsed: now,
    weaveVersion: wish.weaveVersion,
    node: process.version,
    platform: process.platform,
    ...(isRehearsal && { rehearsal: true as const }),
  }
}

interface OriginFacts {
  readonly plan: Plan
  readonly prefix: ForkOrigin['prefix']
  readonly conversations: MovedConversations
  readonly own: ExecutionFile
  readonly planSeq?: number
}

async function originOf(
  { place, point, wish }: Making,
  { plan, prefix, conversations, own, planSeq }: OriginFacts,
): Promise<ForkOrigin> {
  const { layout, file, history } = place
  return {
    version: 1,
    kind: 'fork',
    id: (await executionIdOf(history, layout.originFile)) ?? '',
    from: { name: basename(layout.dir), createdAt: file.createdAt, hankHash: file.hankHash },
    at: { runId: point.runId, ...point.target, seq: point.seq },
    prefix,
    ...(planSeq !== undefined && { planSeq }),
    inheritedCost: point.state.totalCost,
    hankHash: own.hankHash,
    files: await promptFiles(plan),
    rewritten: conversations,
    madeAt: own.createdAt,
    weaveVersion: wish.weaveVersion,
  }
}

const longestPrompt = 16 << 20

/** The files that prompts come from, as they are now; one that cannot be read is left out. */
async function promptFiles(plan: Plan): Promise<Readonly<Record<string, string>>> {
  const texts = plannedCodons(plan).flatMap(({ prompt, appendSystemPrompt }) => [
    prompt,
    appendSystemPrompt ?? prompt,
  ])
  const paths = new Set(texts.flatMap(text => ('files' in text ? text.files : [])))
  const digests: Record<string, string> = {}
  for (const path of paths) {
    const read = await readRegularFile(join(plan.hankDir, path), { maxBytes: longestPrompt })
    if (read.ok) digests[path] = createHash('sha256').update(read.bytes).digest('hex')
  }
  return digests
}
