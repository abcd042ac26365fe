import { join } from 'node:path'

const dataFolder = 'read_only_data_source'

/**
 * Puts the paths of the workspace in: `<%AGENT_ROOT%>`, its aliases `<%PROJECT_DIR%>` and `<%EXECUTION_DIR%>`, and
 * `<%DATA_DIR%>`. Any other `<%…%>` stays as it is, and what is put in is not looked at again. One pass, linear.
 */
export function fillTemplate(text: string, agentRoot: string): string {
  return text.replace(variables, (_, name: string) =>
    name === 'DATA_DIR' ? join(agentRoot, dataFolder) : agentRoot,
  )
}

const variables = /<%(AGENT_ROOT|PROJECT_DIR|EXECUTION_DIR|DATA_DIR)%>/g
