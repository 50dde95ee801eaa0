import { tokenVariable, urlVariable } from '../../config/remote-variables.ts'
import type { CommandOption } from '../command.ts'

/** Flags of every command that select a remote gateway. */
export const remoteOptions: Readonly<Record<string, CommandOption & { variable?: string }>> = {
  url: {
    kind: 'text',
    placeholder: 'URL',
    variable: urlVariable,
    description:
      'Run the command against this gateway, through its admin API, instead of on this machine.',
  },
  'token-file': {
    kind: 'text',
    placeholder: 'FILE',
    variable: tokenVariable,
    description:
      'File that contains the token; - reads standard input. The variable contains the token itself.',
  },
  'ca-file': {
    kind: 'text',
    placeholder: 'FILE',
    description: 'PEM file with CA certificates to trust in addition to the default roots.',
  },
  insecure: {
    kind: 'switch',
    description:
      'Allow sending the token over http:// to another machine, where others may read it.',
  },
}

/** For commands that may move money. */
export const idempotencyOption: Readonly<Record<string, CommandOption>> = {
  'idempotency-key': {
    kind: 'text',
    placeholder: 'KEY',
    description:
      'Repeat a command that got no response, with the key that it printed; the gateway executes it once.',
  },
}
