import type { RequirementTable } from '../requirement.ts'

/** Rules of parts 7.1 to 7.3: error events, proxy errors, load errors and warnings. */
export const errors = {
  // 7.1 WebSocket error event
  '7.1/severity-fatal': 'An error after which the server must stop has the severity `fatal`.',
  '7.1/severity-codon': 'An error that means a codon failed has the severity `codon`.',
  '7.1/severity-operation': 'An error about one failed command has the severity `operation`.',
  '7.1/severity-warning': 'A problem that blocks nothing has the severity `warning`.',
  '7.1/code-handshake-required': 'A command sent before the handshake completed gives `HANDSHAKE_REQUIRED`.',
  '7.1/code-insufficient-permissions':
    'A state-modifying command from a `readonly` client gives `INSUFFICIENT_PERMISSIONS`.',
  '7.1/code-rollback-in-progress':
    'A state-modifying command during a rollback gives `ROLLBACK_IN_PROGRESS`.',

  // 7.2 Proxy errors
  '7.2/upstream-status-forwarded':
    'An upstream response other than 200 is forwarded with its status and body.',
  '7.2/upstream-status-logged': 'An upstream response other than 200 is logged as an error.',
  '7.2/exception': 'An exception while a request is processed gives status 500 and the body `Proxy Error`.',
  '7.2/other-body': 'A body that is no messages-API request is forwarded raw with a debug log and no error.',

  // 7.3 Load and validation errors
  '7.3/validate-failure-heading': 'A failed `--validate` prints `Validation failed:`.',
  '7.3/validate-failure-bullets': 'A failed `--validate` prints one bullet for each problem.',
  '7.3/validate-failure-exit-code': 'A failed `--validate` exits with code 1.',
  '7.3/validate-success-message': 'A successful `--validate` prints `Configuration is valid!`.',
  '7.3/validate-success-summary':
    'A successful `--validate` prints a summary such as the codon and loop counts.',
  '7.3/validate-success-exit-code': 'A successful `--validate` exits with code 0.',
  '7.3/validate-warnings': '`--validate` prints warnings under `Warnings:`.',
  '7.3/startup-warnings': 'A normal startup prints warnings under `! Configuration warnings:`.',
  '7.3/startup-warnings-do-not-stop': 'Warnings do not stop a run.',
  '7.3/load-missing-prompt-source': 'A missing prompt source stops the load.',
  '7.3/load-both-global-prompts': 'Both global system prompt fields together stop the load.',
  '7.3/load-both-append-prompts': 'Both append-system-prompt variants together stop the load.',
  '7.3/load-invalid-retry-config': 'An invalid `retryConfig` stops the load.',
  '7.3/load-continuation-model-mismatch': 'Continuing with another model stops the load.',
  '7.3/load-fresh-in-context-exceeded-loop': 'A fresh codon in a `contextExceeded` loop stops the load.',
  '7.3/load-continue-from-context-exceeded-loop': 'Continuing from a `contextExceeded` loop stops the load.',
  '7.3/load-nested-loops': 'Nested loops stop the load.',
  '7.3/load-duplicate-ids': 'Duplicate ids stop the load.',
  '7.3/load-forbidden-copy-from': 'A forbidden `copy.from` stops the load.',
  '7.3/load-missing-file': 'A referenced file that is missing stops the load.',
  '7.3/load-unreadable-file': 'A referenced file that cannot be read stops the load.',
  '7.3/load-invalid-sentinel-config': 'An invalid sentinel configuration stops the load.',
  '7.3/load-unknown-model': 'An unknown model stops the load.',
  '7.3/load-unknown-root-key': 'An unknown root key stops the load.',
  '7.3/load-unknown-codon-key': 'An unknown codon key stops the load.',
  '7.3/load-unknown-loop-key': 'An unknown loop key stops the load.',
  '7.3/load-failed-self-test': 'A failed model self-test stops the load.',
  '7.3/load-failed-self-test-guidance':
    'A failed model self-test prints guidance for its category of failure.',
  '7.3/load-failed-catalog-preflight': 'A failed model-catalog preflight stops the load.',
  '7.3/load-unmet-requirements-env': 'An unmet `requirements.env` stops the load.',
  '7.3/load-rig-path-escaping': 'A rig setup path that escapes with `..` stops the load.',
  '7.3/path-absolute':
    'An absolute or drive-qualified path reads `<path> is an absolute or drive-qualified path; hank refs must be relative paths inside the hank directory`.',
  '7.3/path-backslash':
    'A path with a backslash reads `<path> contains a backslash; hank refs use / as the only path separator`.',
  '7.3/path-nul': 'A path with a NUL reads `<path> contains an invalid character (NUL)`.',
  '7.3/path-outside':
    'A path leaving the hank directory reads `<path> resolves outside the hank directory (<resolved>); move the file into the hank directory`.',
  '7.3/path-symlink':
    'A path through a symlink reads `<path> passes through a symlink at <component>; symlinks are not allowed in hank refs`.',
  '7.3/path-tree-symlink':
    'A symlink in a copied tree reads `<path> contains a symlink at <entry>; symlinks are not allowed anywhere in a copied tree`.',
  '7.3/path-tree-non-regular':
    'Another file type in a copied tree reads `<path> contains a non-regular file at <entry>; only regular files and directories can be copied`.',
  '7.3/path-missing': 'A missing prompt file reads `Codon <n> (<id>): promptFile <path> does not exist`.',
  '7.3/unknown-field-message': 'A recognized typo reads `Unknown field <x>. Did you mean <y>?`.',
  '7.3/typo-system-prompt':
    '`systemPromptFile`, `systemPromptText` and `systemPrompt` suggest `appendSystemPromptFile` or `appendSystemPromptText`.',
  '7.3/typo-prompt': '`prompt`, `prompts` and `promptFiles` suggest `promptFile` or `promptText`.',
  '7.3/typo-checkpointed-files':
    '`trackedFiles`, `tracking`, `tracked`, `watchedFiles` and `fileTracking` suggest `checkpointedFiles`.',
  '7.3/typo-rig-setup': '`rig`, `setup` and `preSetup` suggest `rigSetup`.',
  '7.3/typo-archive-on-success':
    '`archiveRigs`, `rigTeardown`, `teardown`, `archive`, `cleanup`, `archiveRig`, `archiving` and `archives` suggest `archiveOnSuccess`.',
  '7.3/typo-env': '`environment` and `envVars` suggest `env`.',
  '7.3/typo-output-files': '`outputs` and `output` suggest `outputFiles`.',
  '7.3/typo-continuation-mode': '`continuation` and `mode` suggest `continuationMode`.',
  '7.3/typo-max-dollars':
    '`costLimit`, `maxBudget`, `maxCost` and a `maxDollars` outside `budget` suggest `budget.maxDollars`.',
  '7.3/typo-max-time-seconds':
    '`maxDuration`, `maxDurationSeconds`, `timeLimit` and a `maxTimeSeconds` outside `budget` suggest `budget.maxTimeSeconds`.',
  '7.3/typo-max-output-tokens':
    '`maxTokens`, `tokenLimit` and a `maxOutputTokens` outside `budget` suggest `budget.maxOutputTokens`.',
  '7.3/unknown-field-lists-root-fields': 'Any other unknown field at the root lists the valid root fields.',
  '7.3/unknown-field-lists-codon-fields': 'Any other unknown field in a codon lists the valid codon fields.',
  '7.3/unknown-field-lists-loop-fields': 'Any other unknown field in a loop lists the valid loop fields.',
  '7.3/codon-field-at-root': 'A codon field at the root gets a hint to move it into a codon.',
  '7.3/warnings-exit-code': 'Warnings alone leave the exit code at 0.',
  '7.3/warn-duplicate-names': 'Duplicate codon names give a warning.',
  '7.3/warn-loop-rig-setup': 'A loop codon with `rigSetup` but without `allowFailure` true gives a warning.',
  '7.3/warn-loop-default-abort': 'A loop codon that relies on the default `onFailure` gives a warning.',
  '7.3/warn-empty-prompt-file': 'An empty prompt file gives a warning.',
  '7.3/warn-large-prompt-file': 'A prompt file over 1 MB gives a warning.',
  '7.3/warn-existing-copy-target': 'A copy target that already exists gives a warning.',
  '7.3/warn-dangerous-root-or-home-deletion':
    'A command deleting the root or home directory gives a warning.',
  '7.3/warn-dangerous-raw-disk-write': 'A command writing to a raw disk gives a warning.',
  '7.3/warn-dangerous-formatting': 'A command formatting a disk gives a warning.',
  '7.3/warn-dangerous-windows-deletion': 'A recursive deletion command for Windows gives a warning.',
  '7.3/warn-first-codon-continues': 'A first codon using `continue-previous` gives a warning.',
  '7.3/warn-continue-without-checkpointed-files':
    'Continuing from a codon without `checkpointedFiles` gives a warning.',
  '7.3/warn-ignore-then-continue':
    '`onFailure` `ignore` followed by a `continue-previous` codon gives a warning.',
  '7.3/warn-budget-child-above-allocation': 'A child cap above its allocation gives a warning.',
  '7.3/warn-budget-unallocated-shares': 'Shares that are not fully allocated give a warning.',
  '7.3/warn-budget-zero': 'An effective budget of zero gives a warning.',
  '7.3/warn-budget-exhaust-under-time': '`exhaustWithPrompt` under a time budget gives a warning.',
  '7.3/warn-budget-fail-with-retry': '`onExceeded` `fail` together with `onFailure` `retry` gives a warning.',
  '7.3/warn-budget-fail-after-shared-pool':
    'A later codon with `onExceeded` `fail`, after codons that may use up a shared pool, gives a warning.',
  '7.3/warn-budget-missing-pricing': 'A dollar limit on a model without pricing data gives a warning.',
  '7.3/warn-budget-codon-time-above-loop': 'A codon time cap above the cap of its loop gives a warning.',
  '7.3/schema-looser-than-loader':
    'Prompt presence, exclusivity and `retryConfig` violations pass the published schema but not the loader.',
  '7.3/loader-only-checks':
    'Models, paths, files, `requirements.env`, self-tests and the catalog are checked by the loader and not by the published schema.',
} as const satisfies RequirementTable
