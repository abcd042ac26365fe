import type { Mutant } from './mutant.ts'

const redirect = 'packages/runtime/src/models/providers.ts'
const places = 'packages/runtime/src/check/rehearsal-places.ts'
const ofRedirect = 'packages/runtime/test/models/redirect.test.ts'
const ofPlaces = 'packages/runtime/test/execution/rehearsal-places.test.ts'
const outside = 'test/e2e/rehearsal-outside.test.ts'

export const rehearsal: readonly Mutant[] = [
  {
    rule: 'd14/rehearsal-no-outside',
    file: redirect,
    find: 'new Set([...providerNames, ...others])',
    replace: 'new Set(providerNames)',
    killedBy: [ofRedirect],
  },
  {
    rule: 'd13/placeholder-credentials',
    file: redirect,
    find: " || leadsOutside(name.replace(/^WEAVE_/, ''))",
    replace: '',
    killedBy: [ofRedirect],
  },
  {
    rule: 'd14/rehearsal-no-outside',
    file: redirect,
    find: 'known.has(name) || ofTheSdks.test(name)',
    replace: 'known.has(name)',
    killedBy: [ofRedirect],
  },
  {
    rule: 'd14/rehearsal-no-outside',
    file: 'packages/runtime/src/check/prepare.ts',
    find: 'redirected(codonEnvironment({ environment: outside, codon }))',
    replace: 'codonEnvironment({ environment: outside, codon })',
    killedBy: [outside],
  },
  {
    rule: 'd13/all-endpoints-local',
    file: 'packages/runtime/src/check/rehearsal.ts',
    find: 'reachingLoopback(redirectProviders(environment, to, providers))',
    replace: 'redirectProviders(environment, to, providers)',
    killedBy: [outside],
  },
  {
    rule: 'd14/rehearsal-no-outside',
    file: 'packages/cli/src/run/ways.ts',
    find: 'environment: rehearsal.environment(environment, providers),',
    replace: 'environment,',
    killedBy: [outside],
  },
  {
    rule: 'd13/placeholder-credentials',
    file: 'packages/cli/src/run/ways.ts',
    find: '{ providers: [...providers, provider], proxyUrl }',
    replace: '{ providers: [], proxyUrl }',
    killedBy: [outside],
  },
  {
    rule: 'd13/all-endpoints-local',
    file: 'packages/runtime/src/harness/claude/sdk.ts',
    find: 'excludeNetwork: true',
    replace: 'excludeNetwork: false',
    killedBy: ['test/e2e/contract-rehearsal.test.ts'],
  },
  {
    rule: 'd14/rehearsal-own-prompt',
    file: 'packages/runtime/src/model-server/rehearsal.ts',
    find: 'promptOf?.(id) ?? newestPrompt(turns)',
    replace: 'newestPrompt(turns)',
    killedBy: ['packages/runtime/test/model-server/rehearsal.test.ts'],
  },
  {
    rule: 'd13/steps-run-out',
    file: 'packages/runtime/src/model-server/codon-steps.ts',
    find: "  if (last?.kind === 'error') return last\n",
    replace: '',
    killedBy: ['packages/runtime/test/model-server/rehearsal.test.ts'],
  },
  {
    rule: 'd14/rehearsal-positions-rollback',
    file: places,
    find: 'if (runId === countedFor) return counts',
    replace: 'if (countedFor !== undefined) return counts',
    killedBy: [ofPlaces],
  },
  {
    rule: 'd14/rehearsal-positions-resume',
    file: places,
    find: 'const taken = [...(await readRecords(file, value => takenLine.safeParse(value).data))]',
    replace: 'const taken: Taken[] = []; void readRecords',
    killedBy: [ofPlaces],
  },
  {
    rule: 'd14/rehearsal-positions-rollback',
    file: places,
    find: 'if (present.has(placeOf(one))) add(counts, one)',
    replace: 'add(counts, one)',
    killedBy: [ofPlaces],
  },
  {
    rule: '2.12/catalog-preflight',
    file: 'packages/runtime/src/preflight/verdict.ts',
    find: "isModel && isAboutModel ? 'model' : 'unknown'",
    replace: "'unknown'",
    killedBy: ['packages/runtime/test/preflight/answer.test.ts'],
  },
  {
    rule: 'd8a/failure-unknown',
    file: 'packages/runtime/src/preflight/ask.ts',
    find: "if (answer.kind !== 'status' || !passing.has(answer.status)) return answer",
    replace: 'return answer',
    killedBy: ['packages/runtime/test/preflight/answer.test.ts'],
  },
]
