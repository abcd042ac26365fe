import { createId, type Marker, start } from '../../src/kit/index.ts'
import { outputWatch, type Program } from './fixture.ts'

/** One that no other test uses. */
export const newMarker = (): Marker => `KIT_TEST_MARKER=${createId('test')}`

/** A process that carries the marker and has said `ready`. Started without `marker`, so that only a sweep can end it. */
export async function startMarked(program: Program, marker: Marker) {
  const [variable = '', value = ''] = marker.split('=')
  const watch = outputWatch()
  const process = start(...program, { env: { [variable]: value, OTHER: 'x' }, onOutput: watch.onOutput })
  const [said] = await watch.until(/.*ready/)
  return { ...process, pid: process.pid ?? 0, said }
}
