/** `hank.json`: a codon with a rig and a sentinel, a loop that continues it, and a codon with outputs. */
export const hankJson = `{
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
