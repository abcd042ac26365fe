import { guideTemplate, promptDraft, promptHouseStyle, promptPublish, promptRevise, readme } from './texts.ts'

/** `sentinels/narrator.json`: the observer of the first codon. */
const narratorJson = `{
  "id": "narrator",
  "name": "Narrator",
  "description": "Tells what the agent has done, at most one sentence in 30 seconds. It only watches: it cannot change anything.",
  "model": "haiku",
  "trigger": { "type": "event", "on": ["assistant.action", "tool.result"] },
  "execution": { "strategy": "timeWindow", "milliseconds": 30000 },
  "systemPromptText": "You watch an agent at work and tell a busy reader what it does, in one plain sentence. You give no advice.",
  "userPromptText": "The codon is <%= it.codon.name %>. The last events:\\n<%= JSON.stringify(it.events.slice(-15)) %>",
  "llmParams": { "maxOutputTokens": 200 }
}
`

/** `.gitignore`: what a run leaves behind and what nobody should share. */
const gitignore = `# Output files of runs
/weave-results/

# Keys; "weave --env-file .env" reads them
.env
`

/** `weave.json`: settings of the program, as opposed to the workflow. */
const weaveJson = `{
  "outputDirectory": "weave-results",
  "showCosts": true
}
`

/** `rehearsal.json`: what a scripted model answers, codon by codon. Its edits fit the texts that it writes. */
const rehearsalJson = `{
  "codons": {
    "draft": [
      { "use": "read", "input": { "path": "guide.md" } },
      {
        "use": "write",
        "input": {
          "path": "guide.md",
          "content": "# Guide\\n\\n## What this is\\n\\nThe folder is empty: this guide was written in a rehearsal.\\n\\n## What is where\\n\\nNothing is anywhere.\\n\\n## Where to begin\\n\\nPut some files into the folder.\\n"
        }
      },
      { "say": "guide.md has no TODO left.", "usage": { "input": 2400, "output": 310 } }
    ],
    "revise#0": [
      { "use": "read", "input": { "path": "guide.md" } },
      {
        "use": "edit",
        "input": {
          "path": "guide.md",
          "old": "written in a rehearsal.",
          "new": "written in a rehearsal, a run against a scripted model."
        }
      },
      { "say": "The word rehearsal was not explained; now it is.", "usage": { "input": 3100, "output": 120 } }
    ],
    "revise#1": [
      { "use": "read", "input": { "path": "guide.md" } },
      {
        "use": "edit",
        "input": {
          "path": "guide.md",
          "old": "Put some files into the folder.",
          "new": "Name a folder with files as the data of the run."
        }
      },
      { "say": "It was not clear which folder is meant; now it is.", "usage": { "input": 3500, "output": 120 } }
    ],
    "publish": [
      { "use": "read", "input": { "path": "guide.md" } },
      {
        "use": "write",
        "input": {
          "path": "summary.md",
          "content": "# Summary\\n\\nAn empty folder, described in a rehearsal. Open guide.md first.\\n"
        }
      },
      { "say": "summary.md is written.", "usage": { "input": 1500, "output": 90 } }
    ]
  },
  "sentinels": {
    "narrator": ["The agent read the template and filled it in."]
  }
}
`

/** `hank.json`: a codon with a rig and a sentinel, a loop that continues it, and a codon with outputs. */
const hankJson = `{
  "meta": {
    "name": "Guide to a folder",
    "version": "0.1.0",
    "description": "Writes a short guide to a folder: a draft from a template, two revisions, then the finished files. README.md says what each file here is for."
  },
  "overrides": {
    "budget": { "maxDollars": 1, "maxTimeSeconds": 1800 }
  },
  "globalSystemPromptFile": "prompts/house-style.md",
  "hank": [
    {
      "id": "draft",
      "name": "Draft the guide",
      "description": "A codon is one task for one agent. Before the agent starts, the rig copies a template into the agent workspace. While it works, a sentinel tells what it does.",
      "model": "sonnet",
      "continuationMode": "fresh",
      "promptFile": "prompts/draft.md",
      "rigSetup": [{ "type": "copy", "copy": { "from": "rig/guide-template.md", "to": "guide.md" } }],
      "checkpointedFiles": ["*.md"],
      "sentinels": [{ "sentinelConfig": "sentinels/narrator.json" }]
    },
    {
      "type": "loop",
      "id": "improve",
      "name": "Improve the guide",
      "description": "A loop repeats its codons. This one has two iterations, numbered 0 and 1, and one budget for both.",
      "terminateOn": { "type": "iterationLimit", "limit": 2 },
      "budget": { "maxDollars": 0.5 },
      "codons": [
        {
          "id": "revise",
          "name": "Revise the guide",
          "description": "Goes on with the conversation of the codon before it, so the agent still knows what it read. Both must have the same model. After a failure it is tried again, three times in all.",
          "model": "sonnet",
          "continuationMode": "continue-previous",
          "promptFile": "prompts/revise.md",
          "checkpointedFiles": ["*.md"],
          "onFailure": "retry"
        }
      ]
    },
    {
      "id": "publish",
      "name": "Publish the guide",
      "description": "A new conversation, on a cheaper model. When it succeeds, the files that match outputFiles are copied to the output directory.",
      "model": "haiku",
      "continuationMode": "fresh",
      "promptFile": "prompts/publish.md",
      "checkpointedFiles": ["*.md"],
      "outputFiles": [{ "copy": ["guide.md", "summary.md"] }],
      "budget": { "maxOutputTokens": 20000 }
    }
  ]
}
`

/** A file of the new hank. */
export interface NewFile {
  /** Relative to the hank directory, with `/`. */
  readonly path: string
  readonly text: string
}

/** TABLE of what `weave init` writes, in the order in which a newcomer might read it. */
export const hankFiles: readonly NewFile[] = [
  { path: 'README.md', text: readme },
  { path: 'hank.json', text: hankJson },
  { path: 'prompts/house-style.md', text: promptHouseStyle },
  { path: 'prompts/draft.md', text: promptDraft },
  { path: 'prompts/revise.md', text: promptRevise },
  { path: 'prompts/publish.md', text: promptPublish },
  { path: 'rig/guide-template.md', text: guideTemplate },
  { path: 'sentinels/narrator.json', text: narratorJson },
  { path: 'rehearsal.json', text: rehearsalJson },
  { path: 'weave.json', text: weaveJson },
  { path: '.gitignore', text: gitignore },
]
