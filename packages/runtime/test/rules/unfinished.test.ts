import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { finishDeeds } from '../../src/execution/ruling.ts'
import { openTestJournal, readAll } from '../journal/open.ts'

verifies(
  ['rules/crash'],
  'a crash between a rule and its hold: the hold is asked for once after the restart; one that was late or told only, never',
  async () => {
    const dir = await tempDir({ inMemory: true })
    const fired = { codonId: 'a', hits: 1, evidence: [1] }
    const journal = await openTestJournal(dir)
    journal.append('rule.fired', { ...fired, ruleId: 'held-before', do: 'hold' })
    journal.append('gate.armed', { gateId: 'hold-1', by: { via: 'rule', ruleId: 'held-before' } })
    journal.append('rule.fired', { ...fired, ruleId: 'told', do: 'notify' })
    journal.append('rule.fired', { ...fired, ruleId: 'too-late', do: 'stop', late: true })
    journal.append('rule.fired', { ...fired, ruleId: 'cut-off', do: 'stop' })
    await journal.close()
    for (let start = 0; start < 2; start++) {
      const again = await openTestJournal(dir)
      await finishDeeds(again)
      await again.close()
    }
    const { events } = await readAll(dir)
    expect(events.filter(({ type }) => type === 'gate.armed').map(({ data }) => data)).toEqual([
      { gateId: 'hold-1', by: { via: 'rule', ruleId: 'held-before' } },
      { gateId: 'hold-2', message: 'Rule cut-off was met.', by: { via: 'rule', ruleId: 'cut-off' } },
    ])
  },
)
