import type { Codon, HankFile, HankItem, Loop } from '../../packages/runtime/src/hank/schema.ts'

/**
 * Hanks for tests: valid, and so complete that no rule warns about them. Each function takes what a test is about and
 * fills in the rest; `undefined` takes a field away.
 */

export function hankOf(items: readonly HankItem[], fields: Partial<Omit<HankFile, 'hank'>> = {}): HankFile {
  return { ...fields, hank: items }
}

/** A fresh codon with a prompt, a model and a word on failure. */
export function codonOf(id: string, fields: Partial<Codon> = {}): Codon {
  return {
    id,
    name: `The codon ${id}`,
    model: 'sonnet',
    continuationMode: 'fresh',
    promptText: `Do ${id}.`,
    checkpointedFiles: ['**'],
    onFailure: 'abort',
    ...fields,
  }
}

/** A codon that continues the one before it. */
export function nextCodonOf(id: string, fields: Partial<Codon> = {}): Codon {
  return codonOf(id, { continuationMode: 'continue-previous', ...fields })
}

/** A loop of three iterations. */
export function loopOf(id: string, codons: readonly Codon[], fields: Partial<Loop> = {}): Loop {
  return {
    type: 'loop',
    id,
    name: `The loop ${id}`,
    terminateOn: { type: 'iterationLimit', limit: 3 },
    codons,
    ...fields,
  }
}

/** A loop until the context is full, with a budget that bounds it. */
export function contextLoopOf(id: string, codons: readonly Codon[], fields: Partial<Loop> = {}): Loop {
  return loopOf(id, codons, {
    terminateOn: { type: 'contextExceeded' },
    budget: { maxDollars: 1 },
    ...fields,
  })
}
