export declare const nodeVersions: Readonly<Record<22 | 24, string>>
export declare function fetchedPackage(name: string, version: string): string
export declare function fetchedNode(major: 22 | 24): string
