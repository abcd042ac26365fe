import type { Turn } from '../model-request.ts'

/** A turn of the parts that are there. */
export function turn(role: Turn['role'], parts: Partial<Pick<Turn, 'texts' | 'calls' | 'results'>>): Turn {
  const { texts = [], calls = [], results = [] } = parts
  return { role, text: texts.join('\n\n'), texts, calls, results }
}

/** Some dialects give every call and every result a message of its own; here, each side speaks in turn. */
export function alternating(turns: readonly Turn[]): readonly Turn[] {
  const merged: Turn[] = []
  for (const next of turns) {
    const last = merged.at(-1)
    if (last?.role === next.role) merged[merged.length - 1] = joined(last, next)
    else merged.push(next)
  }
  return merged
}

function joined(left: Turn, right: Turn): Turn {
  return turn(left.role, {
    texts: [...left.texts, ...right.texts],
    calls: [...left.calls, ...right.calls],
    results: [...left.results, ...right.results],
  })
}
