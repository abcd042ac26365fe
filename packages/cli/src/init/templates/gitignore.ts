/** `.gitignore`: what a run leaves behind and what nobody should share. */
export const gitignore = `# Output files of runs
/weave-results/

# Keys
.env
`
