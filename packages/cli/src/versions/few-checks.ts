import { config } from 'zod'

/**
 * For a command that checks little and ends soon, called before any shape is made: by itself zod writes a function for each shape
 * when it is first used and has it compiled, which takes longer than to check a hundred values without.
 */
export function checkFew(): void {
  config({ jitless: true })
}
