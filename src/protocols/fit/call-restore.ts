/** A tool as the client knows it. */
export interface OriginalTool {
  readonly name: string
  readonly namespace: string | undefined
  readonly form: 'function' | 'custom'
}

/** The way back from the tools that an upstream was told of to those that the client sent. */
export interface CallRestore {
  /** No tool was changed, so replies need not be looked at. */
  readonly isIdentity: boolean
  /** Undefined for a tool that was not changed. */
  originalOf(name: string, namespace: string | undefined): OriginalTool | undefined
}

export const noRestore: CallRestore = { isIdentity: true, originalOf: () => undefined }
