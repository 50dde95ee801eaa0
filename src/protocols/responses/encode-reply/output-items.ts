/** Output items as JSON text. They have few members and long strings, so they are concatenated directly. */

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

export interface ItemShape {
  readonly id: string
  /** The item with its collected content. */
  write(status: ItemStatus, content: string): string
}

export function messageItem(id: string): ItemShape {
  return {
    id,
    write: (status, content) =>
      `{"id":"${id}","type":"message","status":"${status}","role":"assistant","content":[${content}]}`,
  }
}

/** `content` is the summary and the encrypted content after it. */
export function reasoningItem(id: string): ItemShape {
  return {
    id,
    write: (_status, content) =>
      `{"id":"${id}","type":"reasoning",${content === '' ? '"summary":[]' : content}}`,
  }
}

export interface CallHead {
  readonly id: string
  readonly name: string
  readonly form: 'function' | 'custom'
  readonly namespace?: string | undefined
}

/** `content` is the arguments as a JSON string. The id of the item differs from the id of the call. */
export function callItem(id: string, head: CallHead): ItemShape {
  const [type, field] =
    head.form === 'custom' ? ['custom_tool_call', 'input'] : ['function_call', 'arguments']
  const namespace =
    head.namespace === undefined ? '' : `"namespace":${JSON.stringify(head.namespace)},`
  const names = `"call_id":${JSON.stringify(head.id)},"name":${JSON.stringify(head.name)},${namespace}`
  return {
    id,
    write: (status, content) =>
      `{"id":"${id}","type":"${type}","status":"${status}",${names}"${field}":${content === '' ? '""' : content}}`,
  }
}
