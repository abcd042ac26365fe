/** Which invariants (of `docs/proof.md`) a suite holds, where it is, and what it must have tried at least, by `tally`. */
export interface Suite {
  readonly name: string
  readonly holds: string
  readonly files: readonly string[]
  readonly atLeast?: Readonly<Record<string, number>>
  readonly env?: Readonly<Record<string, string>>
}

/** TABLE of the proofs. */
export const suites: Readonly<Record<'faults' | 'load' | 'agents' | 'fleet', readonly Suite[]>> = {
  faults: [
    {
      name: 'gates',
      holds: 'I1, I4',
      files: [
        'packages/runtime/test/runner/gate-kill.test.ts',
        'packages/runtime/test/runner/gate-deciders.test.ts',
      ],
      atLeast: { 'kills over the writes of a gate': 200, 'pairs of deciders': 1_000 },
    },
    {
      name: 'journal',
      holds: 'I1, I2',
      files: [
        'test/e2e/journal-kill.test.ts',
        'packages/runtime/test/journal/damage.test.ts',
        'packages/runtime/test/journal/kill.test.ts',
        'packages/runtime/test/runner/resume.test.ts',
      ],
      atLeast: {
        'torn and damaged journals': 1_500,
        'kills at the writes of a journal': 80,
        'lives cut off in a journal': 220,
      },
    },
    {
      name: 'state',
      holds: 'I3',
      files: ['packages/runtime/test/journal/replay.test.ts', 'packages/client/test/view-lineage.test.ts'],
      atLeast: { 'spoilt states': 1_000, 'histories shown alike by client and engine': 1_000 },
    },
    {
      name: 'kills',
      holds: 'I1, I2, I4',
      files: ['test/e2e/kill.test.ts'],
      env: { WEAVE_PROOF_KILLS: '220' },
      atLeast: { 'kills survived': 440 },
    },
    {
      name: 'checkpoints',
      holds: 'I4, I5, I18',
      files: [
        'packages/runtime/test/checkpoint/kill.test.ts',
        'packages/runtime/test/checkpoint/fuzz.test.ts',
        'packages/runtime/test/checkpoint/hostile.test.ts',
        'packages/runtime/test/checkpoint/burden.test.ts',
        'packages/runtime/test/at-rest/widening.test.ts',
        'packages/runtime/test/runner/large-result.test.ts',
      ],
      atLeast: { 'rollback kills': 200, 'checkpoints and rollbacks of random changes': 1_000 },
    },
    {
      name: 'versions',
      holds: 'I1, I4, I5',
      files: [
        'packages/runtime/test/versions/fork-random.test.ts',
        'test/e2e/fork.test.ts',
        'test/e2e/bisect.test.ts',
        'test/e2e/versions-large.test.ts',
      ],
      atLeast: {
        'events of each side compared': 1_000_000,
        'files of a fork whose disk was counted': 10_000,
        'forks of random executions': 1_000,
        'forks killed': 100,
        'searches cut off': 100,
      },
    },
    {
      name: 'sentinels at rest',
      holds: 'I9',
      files: ['packages/runtime/test/execution/sentinel-rest.test.ts'],
      atLeast: { 'sentinels that came to rest': 250 },
    },
    {
      name: 'notifications',
      holds: 'I23',
      files: ['packages/runtime/test/notify/kill.test.ts'],
      atLeast: { 'notifications over kills': 1_000 },
    },
    {
      name: 'rules',
      holds: 'I24',
      files: ['packages/runtime/test/rules/matcher.test.ts'],
      atLeast: { 'random journals with rules': 500, 'texts that beg for other deeds': 200 },
    },
    {
      name: 'locks',
      holds: 'I6',
      files: ['packages/runtime/test/workspace/lock-race.test.ts'],
      atLeast: { 'simultaneous starts': 1_000 },
    },
    {
      name: 'lost locks',
      holds: 'I6',
      files: ['test/e2e/lost-lock.test.ts'],
      atLeast: { 'servers overtaken': 50 },
    },
    {
      name: 'processes',
      holds: 'I7, I8',
      files: [
        'test/e2e/deaths.test.ts',
        'test/e2e/agents.test.ts',
        'packages/runtime/test/kit/process-ends.test.ts',
        'packages/runtime/test/harness/claude/stop.test.ts',
        'packages/runtime/test/harness/pi/processes.test.ts',
      ],
      atLeast: { 'orphan cases': 36, 'stops at any moment': 40 },
    },
    {
      name: 'money',
      holds: 'I9, I10',
      files: [
        'packages/runtime/test/runner/budget-kill.test.ts',
        'packages/runtime/test/runner/budget-ledger.test.ts',
        'packages/runtime/test/runner/retry.test.ts',
        'test/e2e/budgets.test.ts',
        'test/e2e/agents-attack.test.ts',
      ],
      atLeast: {
        'hanks held against an accountant': 200,
        'random plans with budgets': 200,
        'schedules of retries': 400,
      },
    },
    {
      name: 'adopting',
      holds: 'I9',
      files: ['packages/runtime/test/execution/adopt.test.ts'],
      atLeast: { 'edited hanks offered for adoption': 200 },
    },
    {
      name: 'mcp',
      holds: 'I25',
      files: ['test/e2e/mcp.test.ts', 'test/e2e/mcp-conformance.test.ts', 'test/e2e/mcp-claude-code.test.ts'],
      atLeast: {
        'argument objects for the tools of MCP': 10_000,
        'scenarios of the MCP conformance kit': 15,
      },
    },
    {
      name: 'editor',
      holds: 'I20',
      files: ['test/e2e/lsp.test.ts', 'test/e2e/lsp-fixes.test.ts'],
      atLeast: {
        'quick fixes applied': 1_000,
        'fields moved by quick fixes': 100,
        'mutations of hanks, told alike by editor and command': 5_000,
        'random edits of a hank in an editor': 10_000,
      },
    },
    {
      name: 'dashboard',
      holds: 'I26',
      files: ['test/e2e/dashboard-page.test.ts', 'test/e2e/dashboard-hostile.test.ts'],
      atLeast: { 'pages looked at by axe': 66, 'hostile texts in every place of the dashboard': 500 },
    },
    {
      name: 'rehearsals',
      holds: 'I21',
      files: ['test/e2e/rehearsal-outside.test.ts'],
      atLeast: { 'rehearsals traced': 34 },
    },
    {
      name: 'disk',
      holds: 'I11, I12, I13',
      files: [
        'test/e2e/full-disk.test.ts',
        'test/e2e/io-errors.test.ts',
        'packages/runtime/test/effects/outputs-recovery.test.ts',
        'packages/runtime/test/effects/outputs-traps.test.ts',
      ],
      atLeast: { 'disk-full moments': 20, 'I/O-error points': 60, 'kills of a copy': 10 },
    },
    {
      name: 'power',
      holds: 'I4, I5, I13',
      files: ['test/e2e/power-cut.test.ts'],
      atLeast: { 'power cuts': 50 },
    },
    {
      name: 'undo',
      holds: 'I5',
      files: ['test/e2e/undo-kill.test.ts'],
      atLeast: { 'kills of an undo': 30 },
    },
    {
      name: 'spans',
      holds: 'I4',
      files: ['test/e2e/otel-kill.test.ts'],
      atLeast: { 'kills with spans': 50 },
    },
    {
      name: 'time and checks',
      holds: 'I19, I20',
      files: [
        'packages/runtime/test/runner/clock-jumps.test.ts',
        'test/e2e/validate.test.ts',
        'test/e2e/validate-inputs.test.ts',
        'packages/runtime/test/hank/mutations.test.ts',
        'packages/cli/test/formats.test.ts',
      ],
      atLeast: { 'inputs checked': 200, 'mutations of small hanks': 6_000, 'messages for GitHub': 10_000 },
    },
  ],
  load: [
    {
      name: 'slow clients',
      holds: 'I14',
      files: ['packages/runtime/test/server/slow-clients.test.ts'],
      atLeast: { 'clients that never read': 20 },
    },
    {
      name: 'crowds',
      holds: 'I15, I16',
      files: [
        'packages/runtime/test/server/crowd.test.ts',
        'packages/runtime/test/server/exactly-once.test.ts',
      ],
      atLeast: { 'clients at once': 1_000, 'events of history while live': 51_200 },
    },
    {
      name: 'doors',
      holds: 'I16',
      files: [
        'test/e2e/doors.test.ts',
        'test/clients/foreign-page.test.ts',
        'packages/runtime/test/proxy/limits.test.ts',
      ],
      atLeast: { 'blind attempts of another user': 200, 'bodies that never end': 30 },
    },
    {
      name: 'malformed',
      holds: 'I16',
      files: [
        'packages/runtime/test/server/malformed-messages.test.ts',
        'packages/runtime/test/server/malformed-frames.test.ts',
        'packages/runtime/test/server/limits.test.ts',
      ],
      atLeast: { 'malformed messages': 40_000, 'malformed frames': 120 },
    },
    {
      name: 'commands',
      holds: 'I17',
      files: ['packages/runtime/test/runner/model.test.ts'],
      atLeast: { 'stories of three clients': 2_000 },
    },
  ],
  agents: [
    {
      name: 'agents of others',
      holds: 'I7, I9, I21',
      files: ['test/e2e/acp-real.test.ts', 'test/e2e/acp.test.ts'],
      // None is installed: nothing is proven.
      atLeast: { 'codons of real agents': 1 },
    },
  ],
  fleet: [
    {
      name: 'fleet turns',
      holds: 'I27',
      files: [
        'test/e2e/fleet.test.ts',
        'test/e2e/fleet-commands.test.ts',
        'test/e2e/fleet-turns.test.ts',
        'packages/fleet/test/tables.test.ts',
        'packages/fleet/test/keys-and-versions.test.ts',
      ],
      atLeast: { 'zombies that woke up and were refused': 12 },
    },
    {
      name: 'fleet chaos',
      holds: 'I31',
      files: ['test/e2e/fleet-chaos.test.ts'],
      atLeast: {
        'executions under faults': 300,
        'faults survived': 1_000,
        'states that were the fold of their journal': 300,
      },
    },
    {
      name: 'fleet moves',
      holds: 'I34',
      files: ['test/e2e/fleet-moved.test.ts'],
      atLeast: { 'files of the rest that moved': 400_000 },
    },
    {
      name: 'fleet troubles',
      holds: 'I32',
      files: ['test/e2e/fleet-troubles.test.ts'],
      atLeast: { 'engines killed and back': 3, 'codons salvaged': 20, 'workers with a wrong clock': 2 },
    },
    {
      name: 'fleet take-overs',
      holds: 'I33',
      files: ['test/e2e/fleet-takeover.test.ts'],
      atLeast: { 'take-overs': 200 },
    },
    {
      name: 'fleet money',
      holds: 'I28',
      files: ['test/e2e/fleet-money.test.ts'],
      atLeast: { 'batches with a ceiling': 200 },
    },
    {
      name: 'fleet throttles',
      holds: 'I29',
      files: ['packages/fleet/test/throttle.test.ts'],
      atLeast: { 'requests under a common rate': 500 },
    },
    {
      name: 'fleet objects',
      holds: 'I30',
      files: [
        'packages/fleet/test/parcel.test.ts',
        'packages/fleet/test/parcel-mutations.test.ts',
        'packages/fleet/test/secrets.test.ts',
      ],
      atLeast: {
        'parcels changed': 2_000,
        'parcels changed in bytes, entries, order or names': 2_000,
        'encrypted objects changed': 2_000,
      },
    },
  ],
}
