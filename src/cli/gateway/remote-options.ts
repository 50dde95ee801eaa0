import { tokenVariable, urlVariable } from '../../config/remote-variables.ts'
import type { CommandOption } from '../command.ts'

/** Flags of every command that lead it to a gateway elsewhere. */
export const remoteOptions: Readonly<Record<string, CommandOption & { variable?: string }>> = {
  url: {
    kind: 'text',
    placeholder: 'URL',
    variable: urlVariable,
    description: 'Do it at this gateway, over its admin API, instead of on this machine.',
  },
  'token-file': {
    kind: 'text',
    placeholder: 'FILE',
    variable: tokenVariable,
    description: 'File with the token for it; - reads standard input. The variable is the token.',
  },
  'ca-file': {
    kind: 'text',
    placeholder: 'FILE',
    description: 'Certificates (PEM) of authorities to trust besides the usual ones.',
  },
  insecure: {
    kind: 'switch',
    description: 'Send the token over http:// to another machine, where others may read it.',
  },
}

/** Of commands that may move money. */
export const idempotencyOption: Readonly<Record<string, CommandOption>> = {
  'idempotency-key': {
    kind: 'text',
    placeholder: 'KEY',
    description: 'Repeat a command that got no answer: with the key that it told, it is done once.',
  },
}
