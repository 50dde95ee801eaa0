import { exportOf, inFile, lines, type Snippet, type SnippetContext } from './snippet.ts'

const pretty = (value: unknown) => JSON.stringify(value, null, 2)

/** opencode and Kilo Code read the same file under two names. */
function openCodeParts(
  { root, key, model }: SnippetContext,
  names: { readonly file: string; readonly command: string },
) {
  const provider = {
    npm: '@ai-sdk/openai-compatible',
    name: 'Tollgate',
    options: { baseURL: `${root}/v1`, apiKey: inFile(key) },
    models: { [model]: {} },
  }
  return [
    { file: names.file, text: pretty({ provider: { tollgate: provider } }) },
    { text: `${names.command} -m tollgate/${model}` },
  ]
}

export const agentSnippets: readonly Snippet[] = [
  {
    id: 'claude-code',
    label: 'Claude Code',
    group: 'agent',
    parts: ({ root, key, model }) => [
      {
        text: lines(
          `export ANTHROPIC_BASE_URL=${root}`,
          `export ANTHROPIC_AUTH_TOKEN=${key}`,
          `export ANTHROPIC_DEFAULT_HAIKU_MODEL=${model}`,
          `claude --model ${model}`,
        ),
      },
    ],
  },
  {
    id: 'codex',
    label: 'Codex',
    group: 'agent',
    parts: ({ root, key, model }) => [
      {
        file: '~/.codex/config.toml',
        text: lines(
          `model = "${model}"`,
          'model_provider = "tollgate"',
          '',
          '[model_providers.tollgate]',
          'name = "Tollgate"',
          `base_url = "${root}/v1"`,
          'env_key = "TOLLGATE_KEY"',
          'wire_api = "responses"',
        ),
      },
      { text: lines(...exportOf(key), 'codex') },
    ],
  },
  {
    id: 'gemini-cli',
    label: 'Gemini CLI',
    group: 'agent',
    parts: ({ root, key, model }) => [
      {
        file: '~/.gemini/settings.json',
        text: pretty({ security: { auth: { selectedType: 'gemini-api-key' } } }),
      },
      {
        text: lines(
          `export GOOGLE_GEMINI_BASE_URL=${root}`,
          `export GEMINI_API_KEY=${key}`,
          `gemini -m ${model}`,
        ),
      },
    ],
  },
  {
    id: 'opencode',
    label: 'opencode',
    group: 'agent',
    parts: (context) =>
      openCodeParts(context, { file: '~/.config/opencode/opencode.json', command: 'opencode' }),
  },
  {
    id: 'qwen-code',
    label: 'Qwen Code',
    group: 'agent',
    parts: ({ root, key, model }) => [
      {
        text: lines(
          `export OPENAI_BASE_URL=${root}/v1`,
          `export OPENAI_API_KEY=${key}`,
          `qwen --auth-type openai -m ${model}`,
        ),
      },
    ],
  },
  {
    id: 'cline',
    label: 'Cline',
    group: 'agent',
    parts: ({ root, key, model }) => [
      {
        text: lines(
          'cline auth openai-compatible \\',
          `  --baseurl ${root}/v1 \\`,
          `  --apikey ${key} \\`,
          `  --modelid ${model}`,
          'cline',
        ),
      },
    ],
  },
  {
    id: 'continue',
    label: 'Continue',
    group: 'agent',
    parts: ({ root, key, model }) => [
      {
        file: '~/.continue/config.yaml',
        text: lines(
          'name: Tollgate',
          'version: 1.0.0',
          'schema: v1',
          'models:',
          // Without quotes YAML would read a name of digits as a number.
          `  - name: "${model}"`,
          '    provider: openai',
          `    model: "${model}"`,
          `    apiBase: ${root}/v1`,
          `    apiKey: ${inFile(key)}`,
        ),
      },
      { text: 'cn --config ~/.continue/config.yaml' },
    ],
  },
  {
    id: 'copilot-cli',
    label: 'Copilot CLI',
    group: 'agent',
    parts: ({ root, key, model }) => [
      {
        text: lines(
          `export COPILOT_PROVIDER_BASE_URL=${root}/v1`,
          'export COPILOT_PROVIDER_TYPE=openai',
          `export COPILOT_PROVIDER_API_KEY=${key}`,
          `export COPILOT_MODEL=${model}`,
          'copilot',
        ),
      },
    ],
  },
  {
    id: 'kimi',
    label: 'Kimi Code',
    group: 'agent',
    parts: ({ root, key, model }) => [
      {
        file: '~/.kimi-code/config.toml',
        text: lines(
          `default_model = "${model}"`,
          '',
          '[providers.tollgate]',
          'type = "openai"',
          `base_url = "${root}/v1"`,
          `api_key = "${inFile(key)}"`,
          '',
          `[models."${model}"]`,
          'provider = "tollgate"',
          `model = "${model}"`,
          'max_context_size = 128000',
        ),
      },
      { text: 'kimi' },
    ],
  },
  {
    id: 'pi',
    label: 'pi',
    group: 'agent',
    parts: ({ root, key, model }) => [
      {
        file: '~/.pi/agent/models.json',
        text: pretty({
          providers: {
            tollgate: {
              baseUrl: `${root}/v1`,
              api: 'openai-completions',
              apiKey: inFile(key),
              models: [{ id: model }],
            },
          },
        }),
      },
      { text: `pi --provider tollgate --model ${model}` },
    ],
  },
  {
    id: 'kilo',
    label: 'Kilo Code',
    group: 'agent',
    parts: (context) =>
      openCodeParts(context, { file: '~/.config/kilo/kilo.json', command: 'kilo' }),
  },
]
