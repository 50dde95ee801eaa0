/** Output items as JSON text. Their words are few and their strings long, so they are put together by hand. */

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

export interface ItemShape {
  readonly id: string
  /** The item, from what it has gathered. */
  write(status: ItemStatus, content: string): string
}

export function messageItem(id: string): ItemShape {
  return {
    id,
    write: (status, content) =>
      `{"id":"${id}","type":"message","status":"${status}","role":"assistant","content":[${content}]}`,
  }
}

/** `content` is the summary, and what is sealed behind it. */
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

/** `content` is the arguments as a JSON string. The item's id and the call's are two different things. */
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
