import type { ReplyEvent } from '../../core/neutral/reply-event.ts'
import type { CallRestore } from './call-restore.ts'
import { InputUnwrapper } from './unwrap-input.ts'

/** Maps the events of one reply back to the tools as the client knows them. */
export function restoreCalls(restore: CallRestore): (event: ReplyEvent) => ReplyEvent[] {
  const unwrappers: (InputUnwrapper | undefined)[] = []
  return (event) => {
    switch (event.type) {
      case 'part-start': {
        unwrappers[event.answer] = undefined
        const head = event.part
        if (head.type !== 'tool-call') return [event]
        const original = restore.originalOf(head.name, head.namespace)
        if (!original) return [event]
        const isWrapped = original.form === 'custom' && head.form === 'function'
        if (isWrapped) unwrappers[event.answer] = new InputUnwrapper()
        const { name, namespace } = original
        const form = isWrapped ? 'custom' : head.form
        return [{ ...event, part: { ...head, name, namespace, form } }]
      }
      case 'part-delta': {
        const unwrapper = unwrappers[event.answer]
        return unwrapper ? deltaOf(event.answer, unwrapper.push(event.text)) : [event]
      }
      case 'part-end': {
        const unwrapper = unwrappers[event.answer]
        if (!unwrapper) return [event]
        unwrappers[event.answer] = undefined
        return [...deltaOf(event.answer, unwrapper.end()), event]
      }
      case 'reply-start':
      case 'usage':
      case 'reply-end':
      case 'fault':
        return [event]
    }
  }
}

function deltaOf(answer: number, text: string): ReplyEvent[] {
  return text === '' ? [] : [{ type: 'part-delta', answer, text }]
}
