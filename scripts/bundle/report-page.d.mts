export function bundleReportPage(root: string): Promise<{ script: string; style: string; inputs: string[] }>
