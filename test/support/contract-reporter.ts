import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { deferredIds } from '../conformance/deferred.ts'
import { requirements } from '../conformance/requirements.ts'

/** More are missed by every run of some files alone. */
const fewEnough = 20

/** Prints, at the end of a run, how much of the contract was verified, and the plain count that CI reads. */
export default class ContractReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    const cases = modules.flatMap(module => [...module.children.allTests()])
    const passed = cases.filter(test => test.result().state === 'passed')
    const skipped = cases.filter(test => test.result().state === 'skipped').length
    const brokenModules = modules.filter(module => module.state() === 'failed' && module.errors().length > 0)
    const failed = cases.length - passed.length - skipped + brokenModules.length + errors.length
    const verified = new Set(passed.flatMap(requirementsOf))
    console.log(
      `\ncontract: ${verified.size} verified / ${deferredIds.size} deferred / ${requirements.length} total`,
    )
    const missed = requirements.filter(({ id }) => !verified.has(id) && !deferredIds.has(id))
    if (missed.length <= fewEnough)
      for (const { id, sentence } of missed) console.log(`not verified here: ${id}: ${sentence}`)
    console.log(`${passed.length} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  }
}

function requirementsOf(test: TestCase): readonly string[] {
  return test.meta().requirements ?? []
}
