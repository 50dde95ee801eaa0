import type { Script } from './answer.ts'
import { chatScript } from './chat-completions.ts'
import { generateScript } from './generate-content.ts'
import { messagesScript } from './messages.ts'
import { responsesScript } from './responses.ts'

export const scripts: readonly Script[] = [
  chatScript,
  responsesScript,
  messagesScript,
  generateScript,
]
