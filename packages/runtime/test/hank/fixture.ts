import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { type LoadContext, type LoadedHank, loadHank } from '../../src/hank/checks/load.ts'
import { formatProblem, type Problem } from '../../src/kit/index.ts'

export type Json = Record<string, unknown>

/** The smallest codon that loads. */
export function codon(more: Json = {}): Json {
  return {
    id: 'draft',
    name: 'Draft',
    model: 'haiku',
    continuationMode: 'fresh',
    promptText: 'Hello.',
    ...more,
  }
}

export function loop(more: Json = {}): Json {
  return {
    type: 'loop',
    id: 'fix',
    name: 'Fix',
    terminateOn: { type: 'iterationLimit', limit: 2 },
    codons: [codon({ id: 'inner', name: 'Inner', onFailure: 'abort' })],
    ...more,
  }
}

/** A sentinel configuration with nothing but what is required. */
export function sentinel(more: Json = {}): Json {
  return {
    id: 'narrator',
    name: 'Narrator',
    model: 'haiku',
    trigger: { type: 'event', on: ['assistant.action'] },
    execution: { strategy: 'immediate' },
    userPromptText: 'What happened?',
    ...more,
  }
}

/** A directory with these files; what is not text is written as JSON. */
export async function directoryWith(files: Readonly<Record<string, unknown>>): Promise<string> {
  const dir = await tempDir({ inMemory: true })
  for (const [name, content] of Object.entries(files)) {
    const path = join(dir, name)
    await mkdir(dirname(path), { recursive: true })
    const raw = typeof content === 'string' || content instanceof Uint8Array
    await writeFile(path, raw ? content : JSON.stringify(content, null, 2))
  }
  return dir
}

export function contextIn(workingDirectory: string): LoadContext {
  return { workingDirectory, environment: {}, priceOf: () => ({}) }
}

/** Loads `hank.json` of a directory. */
export function loadIn(dir: string): Promise<LoadedHank> {
  return loadHank(undefined, contextIn(dir))
}

/** Loads a hank from a directory of its own, with what it names. */
export async function loadValue(hank: unknown, files: Json = {}): Promise<LoadedHank> {
  return loadIn(await directoryWith({ ...files, 'hank.json': hank }))
}

/** `where: message` of each problem. */
export function told({ problems }: { readonly problems: readonly Problem[] }): readonly string[] {
  return problems.map(({ where, message }) => `${where}: ${message}`)
}

export function printed({ problems }: { readonly problems: readonly Problem[] }): readonly string[] {
  return problems.map(formatProblem)
}
