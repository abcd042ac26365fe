/** `weave.json`: settings of the program, as opposed to the workflow. */
export const weaveJson = `{
  "outputDirectory": "weave-results",
  "showCosts": true
}
`
