import { closeSync, openSync } from 'node:fs'
import { errorCode } from '../kit/index.ts'

/**
 * What to say of an error with this code on the way to an agent when the real reason is that this process may open no more files;
 * undefined when it is not. Node calls a module not found whose files it could not open.
 */
export function descriptorShortage(code = ''): string | undefined {
  const isShort = exhausted.has(code) || (code === 'ERR_MODULE_NOT_FOUND' && !canOpen(neededAtOnce))
  return isShort ? tooMany : undefined
}

const exhausted: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE'])
/** An SDK is loaded from hundreds of files, many at once. */
const neededAtOnce = 256
const tooMany =
  'Too many open files (EMFILE): this process may open no more. Raise the limit where weave is started, for example: ulimit -n 4096'

function canOpen(count: number): boolean {
  const opened: number[] = []
  try {
    while (opened.length < count) opened.push(openSync(process.execPath, 'r'))
    return true
  } catch (error) {
    return !exhausted.has(errorCode(error) ?? '')
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}
