import type { RequirementTable } from '../requirement.ts'

/** Rules of parts 2.10 to 2.12: template variables, file references and model names. */
export const referencesAndModels = {
  // 2.10 Template variables in prompts
  '2.10/replaced-at-prompt-load': 'Template variables are replaced when the codon loads its prompt.',
  '2.10/user-prompts': 'Template variables are replaced in user prompts.',
  '2.10/exhaust-with-prompt': 'Template variables are replaced in `exhaustWithPrompt`.',
  '2.10/system-prompts': 'Template variables are replaced in system prompts.',
  '2.10/not-in-path-fields': 'Template variables in path fields such as `archiveOnSuccess` stay as written.',
  '2.10/agent-root': '`<%AGENT_ROOT%>` becomes the path of the agent workspace.',
  '2.10/project-dir': '`<%PROJECT_DIR%>` becomes the same path as `<%AGENT_ROOT%>`.',
  '2.10/execution-dir': '`<%EXECUTION_DIR%>` becomes the same path as `<%AGENT_ROOT%>`.',
  '2.10/data-dir': '`<%DATA_DIR%>` becomes `<agentRoot>/read_only_data_source`.',

  // 2.11 File reference rules
  '2.11/base-prompt-file': '`promptFile` resolves from the hank directory.',
  '2.11/base-append-system-prompt-file': '`appendSystemPromptFile` resolves from the hank directory.',
  '2.11/base-global-system-prompt-file': '`globalSystemPromptFile` resolves from the hank directory.',
  '2.11/base-copy-from': '`copy.from` resolves from the directory holding `hank.json`.',
  '2.11/base-sentinel-config': 'A `sentinelConfig` path resolves from the directory holding `hank.json`.',
  '2.11/base-copy-to': '`copy.to` resolves from the agent workspace when the codon runs.',
  '2.11/base-checkpointed-files': '`checkpointedFiles` resolve from the agent workspace when the codon runs.',
  '2.11/base-output-files':
    '`outputFiles[].copy` globs resolve from the agent workspace when the codon runs.',
  '2.11/base-archive-on-success':
    '`archiveOnSuccess` globs resolve from the agent workspace when the codon runs.',
  '2.11/base-sentinel-references':
    'A reference in a sentinel configuration file may leave the directory of that file while it stays in the hank directory.',
  '2.11/rejects-absolute': 'An absolute reference is rejected.',
  '2.11/rejects-drive-qualified': 'A reference with a drive letter is rejected.',
  '2.11/rejects-backslash': 'A reference with a backslash is rejected, since `/` is the only separator.',
  '2.11/rejects-nul': 'A reference with a NUL character is rejected.',
  '2.11/rejects-leaving': 'A reference that leaves the hank directory is rejected.',
  '2.11/rejects-leaving-and-re-entering':
    'A reference that leaves the hank directory and comes back is rejected.',
  '2.11/rejects-symlink':
    'A reference through a symlink below the hank directory is rejected at the first symlink.',
  '2.11/symlink-above-allowed': 'A symlink on the way to the hank directory itself is fine.',
  '2.11/spelling-before-existence':
    'Spelling and containment are checked before the file system is asked for the file.',
  '2.11/all-violations-collected': 'All violations are collected and reported together.',
  '2.11/regular-files-only': 'A referenced file that is not a regular file is rejected.',
  '2.11/tree-scanned-whole': 'A violation anywhere below `copy.from` is found, at any depth.',
  '2.11/tree-rejects-symlink': 'A symlink in a copied tree is rejected.',
  '2.11/tree-rejects-dangling-symlink': 'A dangling symlink in a copied tree is rejected.',
  '2.11/tree-rejects-other-files':
    'A file in a copied tree that is neither regular nor a directory is rejected.',

  // 2.12 Model specification
  '2.12/family-aliases': 'Three short family aliases each resolve to the latest model of their family.',
  '2.12/full-model-id': 'A full provider model id is accepted.',
  '2.12/provider-model-name': 'The own model name of another provider is accepted.',
  '2.12/validated-at-load': 'Every model is checked against the provider registry while the file loads.',
  '2.12/self-test-on-startup': 'Model self-tests run on every startup.',
  '2.12/self-test-once-per-identity': 'A self-test runs once for each unique `harness:provider/model`.',
  '2.12/catalog-preflight':
    'The embedded SDK checks that a model known to the registry can really be served.',
  '2.12/catalog-preflight-before-spending':
    'A failed catalog preflight stops the run before any codon spends money.',
} as const satisfies RequirementTable
