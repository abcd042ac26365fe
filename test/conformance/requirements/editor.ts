import type { RequirementTable } from '../requirement.ts'

/** The language server. */
export const editor = {
  'lsp/diagnostics': 'An editor is told the same problems, places and codes as weave validate finds.',
  'lsp/unsaved': 'What an editor has not saved counts, also of sentinels and prompts that a hank names.',
  'lsp/newest': 'Many changes at once are one check, and what it tells belongs to the last of them.',
  'lsp/machine': 'Keys, agents and data of this machine are no problem of a text.',
  'lsp/quick-fix':
    'A quick fix removes its problem and adds none; all of those without a choice are one action.',
  'lsp/completion': 'Keys, models with prices, files, ids, events and variables are offered where they fit.',
  'lsp/hover': 'A field, a model, a file and a limit say what they are.',
  'lsp/definition':
    'A file, a codon that is gone on with, a share and a step of a script lead to what they name.',
  'lsp/rename':
    'Another id is written wherever the old one is named, also in rehearsal.json; a taken one is refused.',
  'lsp/hints': 'Behind ids stand limit and model, behind hank the worst case.',
  'lsp/lens': 'Above a hank stand what can be done with it, and what it has cost before.',
  'lsp/outline': 'Codons and loops are symbols, named files are links, and formatting keeps the order.',
  'lsp/silent': 'It writes no file, starts no process and asks nobody.',
  'lsp/hostile': 'Texts that are cut, deep, huge or odd do not end it.',
  'lsp/neovim': 'It works in a real editor, with text that is not saved.',
  'lsp/exit': 'It ends with 0 after a shutdown, with 1 without one, and when the editor is gone.',
} as const satisfies RequirementTable
