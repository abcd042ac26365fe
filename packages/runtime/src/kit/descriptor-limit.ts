import { readFileSync } from 'node:fs'

/** Descriptors that connections never get: files, pipes and processes need them. */
const reservedDescriptors = 256

/**
 * How many connections one of `ports` ports may hold, so that all of them together leave the reserve alone. A connection
 * of a port may cost `each` descriptors. Undefined: the system does not say how many descriptors there are.
 */
export function connectionShare(
  { ports, each }: { readonly ports: number; readonly each: number },
  limit: number | undefined = descriptorLimit(),
): number | undefined {
  if (limit === undefined) return undefined
  return Math.max(fewest, Math.floor((limit - reservedDescriptors) / ports / each))
}

/** With less than this a port is of no use. */
const fewest = 8

/** The open files that this process may have, as Linux says it; Node has raised it to what is allowed. */
function descriptorLimit(): number | undefined {
  try {
    return readDescriptorLimit(readFileSync('/proc/self/limits', 'latin1'))
  } catch {
    return undefined
  }
}

/** From the text of `/proc/<pid>/limits`. */
export function readDescriptorLimit(text: string): number | undefined {
  const soft = /^Max open files\s+(\d+)\s/m.exec(text)?.[1]
  return soft === undefined ? undefined : Number(soft)
}
