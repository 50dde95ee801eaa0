/** A tool as the client knows it. */
export interface OriginalTool {
  readonly name: string
  readonly namespace: string | undefined
  readonly form: 'function' | 'custom'
}

/** Maps the tools that the upstream got back to the tools that the client sent. */
export interface CallRestore {
  /** No tool was changed, so replies need no mapping. */
  readonly isIdentity: boolean
  /** Undefined for a tool that was not changed. */
  originalOf(name: string, namespace: string | undefined): OriginalTool | undefined
}

export const noRestore: CallRestore = { isIdentity: true, originalOf: () => undefined }
