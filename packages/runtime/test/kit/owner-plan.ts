import { fixtureProgram } from '../../../../test/support/fixture-program.ts'
import type { WardenOptions } from '../../src/kit/index.ts'
import type { Program } from './fixture.ts'

/** What the fixture `owner.ts` is to do. */
export interface OwnerPlan extends Pick<WardenOptions, 'program' | 'marker'> {
  readonly programs: readonly Program[]
}

/** The fixture `owner.ts` with a plan. */
export async function ownerOf(plan: OwnerPlan): Promise<Program> {
  const owner = await fixtureProgram(new URL('./fixtures/owner.ts', import.meta.url))
  return [process.execPath, [owner, JSON.stringify(plan)]]
}

/** The fixture `warden.ts`, as a file of plain JavaScript. */
export function wardenFile(): Promise<string> {
  return fixtureProgram(new URL('./fixtures/warden.ts', import.meta.url))
}
