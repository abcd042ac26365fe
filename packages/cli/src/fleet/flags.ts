/** Part of the TABLE of flags: those of the fleet. */
export const fleetFlags = {
  'submit-data': {
    kind: 'text',
    word: 'data',
    value: 'path',
    many: true,
    summary: 'a data set, for one execution; may be given several times',
  },
  'data-glob': {
    kind: 'text',
    value: 'pattern',
    many: true,
    summary: 'every file or folder that fits is a data set; in quotes; may be given several times',
  },
  'batch-name': { kind: 'text', word: 'name', value: 'name', summary: 'what the batch is called' },
  priority: { kind: 'text', value: 'number', summary: 'batches with more come first, -100 to 100' },
  weight: { kind: 'text', value: 'number', summary: 'share of the slots among batches of one priority' },
  'max-running': { kind: 'text', value: 'number', summary: 'at most so many executions at once' },
  'max-cost-each': { kind: 'text', value: 'dollars', summary: 'ceiling in US dollars for each execution' },
  'submit-max-time': {
    kind: 'text',
    word: 'max-time',
    value: 'seconds',
    summary: 'ceiling in seconds for each execution',
  },
  'submit-model': {
    kind: 'text',
    word: 'model',
    short: 'm',
    value: 'name',
    summary: 'use this model for every codon',
  },
  'idempotency-key': {
    kind: 'text',
    word: 'key',
    value: 'text',
    summary: 'the same key again gives the batch that is there',
  },
  'submit-rehearse': {
    kind: 'switch',
    word: 'rehearse',
    summary: 'rehearse every execution: no key, no token, only the model is a script',
  },
  here: { kind: 'switch', summary: 'work on it here until nothing is left, then collect the results' },
  'results-folder': {
    kind: 'text',
    word: 'output',
    short: 'o',
    value: 'dir',
    summary: 'where results are collected: one folder for each execution',
  },
  slots: { kind: 'text', value: 'number', summary: 'how many executions at once' },
  'fleet-root': {
    kind: 'text',
    word: 'root',
    value: 'dir',
    summary: 'where executions lie meanwhile; the same on every machine of a fleet',
  },
  lease: {
    kind: 'text',
    value: 'seconds',
    summary:
      'a worker that is silent for so long is taken over from, 10 to 600; the first to say it decides for all',
  },
  'until-idle': { kind: 'switch', summary: 'end when nothing is left to do' },
  'cancel-now': { kind: 'switch', word: 'now', summary: 'do not wait for the end of the codon' },
} as const
