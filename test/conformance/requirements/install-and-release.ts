import type { RequirementTable } from '../requirement.ts'

/** What somebody has after installing the command, how agents come to it, and what is published. */
export const installAndRelease = {
  // Small install
  'install/no-dependencies':
    'The packed command brings no package with it: the SDKs are optional peers, in the versions of the one table that `weave harness` and `weave doctor` show.',
  'install/resolve-order':
    'A harness is found as the program’s own file finds packages, else in `~/.weave/harnesses/<name>`; a broken one beside the program does not hide a good one there.',
  'install/never-working-directory':
    'Packages in the working directory or beside a hank are never loaded; neither are those in a home directory that the `env` of a codon names.',
  'install/list':
    '`weave harness list` shows each harness with version, size and place, or the version and size that it would have and the command that installs it; `--json` the same.',
  'install/add':
    '`weave harness add` says what is installed, how big it is and where to, asks, and installs the exact versions without running a script of any package; what is there in the right version stays.',
  'install/add-unasked':
    'Without a terminal `weave harness add` needs `-y`; otherwise it exits 1 with the whole command and does nothing.',
  'install/add-atomic':
    'An install that fails, is stopped or is killed leaves what was there before, and nothing else; the leftovers of a killed one go with the next.',
  'install/add-lock': 'Two installs of one harness at once: the second is refused by the name of the first.',
  'install/add-offline':
    'Without a network `weave harness add` says so within seconds, with npm’s own code and where its settings are.',
  'install/add-own-settings':
    'npm reads the settings of the person, and no `.npmrc` of the directory in which the command was given.',
  'install/remove':
    '`weave harness remove` removes, after a yes, what `add` installed and nothing else; of packages beside the program it says that npm removes them.',
  'install/run-offers':
    'A run or rehearsal that lacks a harness offers at a terminal to install it, with its size; Enter means yes, then it goes on.',
  'install/run-unasked':
    'Without a terminal a run that lacks a harness exits 1 with the command that installs it, before an execution is made, also with `-y` and with `--skip-self-test`.',
  'install/validate-warns':
    'With `--skip-self-test` a missing harness is a warning, and a hank is valid without one; otherwise it is an error with the command that installs it.',
  'install/init-line': '`weave init` ends with `weave harness add claude` when that harness is missing.',
  'install/doctor':
    '`weave doctor` lists each harness with version, size and place; one of another version than the table is marked.',

  // What is published
  'release/files':
    'The packed command holds the files of a list and no others, among them licence, readme, notices, SBOM and man page, and is at most 2.5 MB.',
  'release/sbom':
    'The SBOM is CycloneDX 1.6 and lists exactly the packages of which the bundler put something into the program, with purl, licence and the hash of the lockfile; it is the same for the same sources.',
  'release/licences':
    'Every package inside stands under a licence of the list of those that we take, and in the notices.',
  'release/versions':
    'All packages have one version, the changelog begins with it, and a release has its tag, its date and a real repository.',
  'release/alone':
    'The archive installs into an empty prefix as one package; there `--version`, `init` and `validate` work, and `rehearse` once a harness is there.',
  'release/man':
    'The man page has every command and option of the tables, and mandoc finds nothing to complain about.',
  'release/first-process':
    'As the first process of a container the command ends on SIGTERM within 10 s with exit code 143, and nothing is left.',
  'release/completion-asks':
    'Shells complete executions, codons, checkpoints, models and harnesses by asking `weave complete`, which offers no word that a shell could expand.',
  'release/completion-quick':
    '`weave complete` takes at most four times what an empty Node takes, which takes 30 ms on a machine of today.',
} as const satisfies RequirementTable
