/** `rehearsal.json`: what a scripted model answers, codon by codon. Its edits fit the texts that it writes. */
export const rehearsalJson = `{
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
