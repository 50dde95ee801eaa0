import { lines, type Snippet } from './snippet.ts'

const json = "  -H 'Content-Type: application/json' \\"

export const curlSnippets: readonly Snippet[] = [
  {
    id: 'curl-chat',
    label: 'Chat Completions',
    group: 'curl',
    parts: ({ root, key, model }) => [
      {
        text: lines(
          `curl ${root}/v1/chat/completions \\`,
          `  -H "Authorization: Bearer ${key}" \\`,
          json,
          `  -d '{"model":"${model}","messages":[{"role":"user","content":"Hello"}]}'`,
        ),
      },
    ],
  },
  {
    id: 'curl-responses',
    label: 'Responses',
    group: 'curl',
    parts: ({ root, key, model }) => [
      {
        text: lines(
          `curl ${root}/v1/responses \\`,
          `  -H "Authorization: Bearer ${key}" \\`,
          json,
          `  -d '{"model":"${model}","input":"Hello"}'`,
        ),
      },
    ],
  },
  {
    id: 'curl-messages',
    label: 'Messages',
    group: 'curl',
    parts: ({ root, key, model }) => [
      {
        text: lines(
          `curl ${root}/v1/messages \\`,
          `  -H "x-api-key: ${key}" \\`,
          "  -H 'anthropic-version: 2023-06-01' \\",
          json,
          `  -d '{"model":"${model}","max_tokens":1024,"messages":[{"role":"user","content":"Hello"}]}'`,
        ),
      },
    ],
  },
  {
    id: 'curl-generate',
    label: 'Generate Content',
    group: 'curl',
    parts: ({ root, key, model }) => [
      {
        text: lines(
          `curl '${root}/v1beta/models/${encodeURIComponent(model)}:generateContent' \\`,
          `  -H "x-goog-api-key: ${key}" \\`,
          json,
          `  -d '{"contents":[{"role":"user","parts":[{"text":"Hello"}]}]}'`,
        ),
      },
    ],
  },
]
