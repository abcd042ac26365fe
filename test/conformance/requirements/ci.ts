import type { RequirementTable } from '../requirement.ts'

/** What programs get of a check, and what build machines do with it. */
export const ci = {
  'codes/listed': 'Every rule has a code, one sentence and an anchor in the handbook.',
  'codes/stable': 'A code never changes its meaning and is never used again.',
  'codes/problems': 'Every problem carries the code of its rule, and where what it is about begins and ends.',
  'codes/fixes':
    'A problem whose cure is mechanical carries it as edits: a field or a value with a near name, a file with one.',
  'codes/overlay':
    'A check takes unsaved texts in the place of files: the hank, its settings and everything it names.',
  'codes/labels': 'A message names five codons at the most, then how many more.',

  'ci/formats':
    '`weave validate --format` writes text, json, github, sarif, junit or markdown, to a file with `-o`; exit codes are the same.',
  'ci/json-one': '`--format json` of one hank is what `--json` prints.',
  'ci/many':
    '`weave validate` takes any number of hanks and globs; the data is the second of two words, or `--data`.',
  'ci/github':
    'A problem is a workflow command with file, line, columns, its rule as title, and the message.',
  'ci/github-escaping': 'What is in an annotation comes out of it as it went in, whatever it holds.',
  'ci/github-limit':
    'Of errors and of warnings ten are annotations, errors first; the tenth says how many more.',
  'ci/inert':
    'Names and messages of a hank are inert in every format: no command, no control character, no markup.',
  'ci/sarif': 'SARIF is valid by the schema of version 2.1.0, also for 5,000 problems.',
  'ci/sarif-content':
    'SARIF names rules with an address, files from the root of the repository, fixes, and a fingerprint that does not move with lines.',
  'ci/sarif-limit': 'SARIF holds 5,000 results, errors first, and says how many are left out.',
  'ci/junit': 'JUnit has a suite for each hank, a failed case for each error, and one that passed for none.',
  'ci/junit-codons':
    'JUnit of a rehearsal or a run has also a case for each codon: passed, failed with why, or skipped.',
  'ci/junit-characters': 'JUnit is XML whatever the messages hold.',
  'ci/markdown': 'Markdown has the verdict, the first 50 problems, the plan and the worst case.',
  'ci/markdown-limit': 'Markdown has less than 900 kB, and no fence or fold of it stays open.',
  'ci/code-quality': '`--code-quality` writes what GitLab shows beside a merge request.',
  'ci/validate':
    '`weave ci validate` asks no provider, writes annotations, summary and outputs on GitHub, and lines elsewhere.',
  'ci/baseline': 'A problem that a baseline has fails nothing and is no annotation; a new one does and is.',
  'ci/rehearse':
    '`weave ci rehearse` is strict, begins a new execution, and sums it up: codons, cost, time, budgets, changes.',
  'ci/run': '`weave ci run` needs `--max-cost`, and exits as a run does.',
  'ci/failure': 'The summary of a failed run shows what failed first, with its last lines.',
  'ci/watch':
    '`weave validate --watch` checks again when a file changes that the hank uses, and ends with 130 by Ctrl-C.',
  'ci/action':
    'The action hands its inputs to the script as variables, never as text of it, and runs `weave ci` with them.',
} as const satisfies RequirementTable
