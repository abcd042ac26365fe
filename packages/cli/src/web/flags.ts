/** Part of the TABLE of flags: those of pages for a browser. */
export const webFlags = {
  web: {
    kind: 'switch',
    summary: 'answer pages for a browser on the port of the run, too',
    setting: 'web.enabled',
  },
  'web-port': {
    kind: 'text',
    word: 'port',
    value: 'number',
    summary: 'port of the page, 7788 unless said; 0 lets the system choose',
    setting: 'web.port',
  },
  'web-readonly': {
    kind: 'switch',
    word: 'readonly',
    summary: 'let pages watch only',
    setting: 'web.readonly',
  },
  'web-host': {
    kind: 'text',
    word: 'host',
    value: 'address',
    summary: 'listen there too; nothing on the way is encrypted, so better use ssh -L',
  },
  'no-open': { kind: 'switch', summary: 'open no browser' },
  print: { kind: 'switch', summary: 'print the link instead of opening a browser' },
  'allow-host': {
    kind: 'text',
    value: 'name',
    summary: 'also answer requests whose Host is exactly this, as a tunnel sends it',
  },
  base: { kind: 'text', value: 'dir', summary: 'show the executions in this directory' },
} as const
