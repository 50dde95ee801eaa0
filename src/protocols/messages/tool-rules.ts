import type { ToolRules } from '../translation.ts'

export const toolRules: ToolRules = {
  nameLengthMax: 128,
  namePattern: /^[a-zA-Z0-9_-]+$/,
  callIdLengthMax: 256,
  callIdPattern: /^[a-zA-Z0-9_-]+$/,
  takesCustomTools: false,
  takesNamespaces: false,
}
