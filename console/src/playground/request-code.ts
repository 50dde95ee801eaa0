import type { ProtocolName } from '../../../src/console-api/contract.ts'
import type { WireRequest } from './turn.ts'

/** The header that carries the key in each protocol, as its own clients send it. */
const keyHeaders: Readonly<Record<ProtocolName, readonly [name: string, prefix: string]>> = {
  'chat-completions': ['authorization', 'Bearer '],
  responses: ['authorization', 'Bearer '],
  messages: ['x-api-key', ''],
  'generate-content': ['x-goog-api-key', ''],
}

const bodyOf = ({ body }: WireRequest) => JSON.stringify(body, null, 2)

export function curlOf(root: string, wire: WireRequest, protocol: ProtocolName): string {
  const [name, prefix] = keyHeaders[protocol]
  // A single quote ends a shell string, so it is written outside of the string.
  const body = bodyOf(wire).replaceAll("'", `'"'"'`)
  return [
    `curl '${root}${wire.path}' \\`,
    `  -H "${name}: ${prefix}$TOLLGATE_KEY" \\`,
    ...(protocol === 'messages' ? ["  -H 'anthropic-version: 2023-06-01' \\"] : []),
    "  -H 'content-type: application/json' \\",
    `  -d '${body}'`,
  ].join('\n')
}

export function typeScriptOf(root: string, wire: WireRequest, protocol: ProtocolName): string {
  const [name, prefix] = keyHeaders[protocol]
  const key = `\`${prefix}\${process.env.TOLLGATE_KEY}\``
  return [
    `const response = await fetch('${root}${wire.path}', {`,
    "  method: 'POST',",
    '  headers: {',
    `    '${name}': ${key},`,
    ...(protocol === 'messages' ? ["    'anthropic-version': '2023-06-01',"] : []),
    "    'content-type': 'application/json',",
    '  },',
    `  body: JSON.stringify(${bodyOf(wire).replaceAll('\n', '\n  ')}),`,
    '})',
    'console.log(await response.text())',
  ].join('\n')
}

export function pythonOf(root: string, wire: WireRequest, protocol: ProtocolName): string {
  const [name, prefix] = keyHeaders[protocol]
  return [
    'import json, os, urllib.request',
    '',
    `body = json.loads(r"""${bodyOf(wire).replaceAll('"""', '\\"\\"\\"')}""")`,
    'request = urllib.request.Request(',
    `    "${root}${wire.path}",`,
    '    data=json.dumps(body).encode(),',
    '    headers={',
    `        "${name}": "${prefix}" + os.environ["TOLLGATE_KEY"],`,
    ...(protocol === 'messages' ? ['        "anthropic-version": "2023-06-01",'] : []),
    '        "content-type": "application/json",',
    '    },',
    ')',
    'print(urllib.request.urlopen(request).read().decode())',
  ].join('\n')
}
