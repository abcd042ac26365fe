import type { RequirementTable } from '../requirement.ts'

/** Variables from a file, and what the handbook promises about itself. */
export const handbookAndEnvironment = {
  'repair/env-file-only-asked':
    'A file of variables is read only when `--env-file` names it, never because it is there.',
  'repair/env-file-environment-wins':
    'A variable of the environment wins over the same one of `--env-file`, also when it is empty.',
  'repair/env-file-counts-as-environment':
    'What `--env-file` gives is a part of the environment: settings are read from it, agents get it, and secrets in it are taken out of all that is written.',
  'repair/env-file-place':
    'A line of `--env-file` that means nothing, or not what it seems to, ends the command before anything runs, with file, line and column and without what stands in it.',
  'repair/env-file-as-node': 'A file that `--env-file` takes means what `parseEnv` of Node makes of it.',
  'repair/handbook-every-page':
    'Every page of the handbook is in the list of its site, and the list names no other.',
  'repair/handbook-guides-first': 'In the search of the handbook guides count more than reference pages.',
  'repair/handbook-tags':
    'Words in angle brackets are shown as they are written in every generated page of the handbook.',
  'repair/handbook-placeholders':
    'The table of placeholders in the handbook has every placeholder of prompts, and no other.',
  'repair/handbook-recipes':
    'The hank of the recipe for a repository runs as its page says, and the commits are fetched with the command that stands there; the models of the recipe for local models are known.',
} as const satisfies RequirementTable
