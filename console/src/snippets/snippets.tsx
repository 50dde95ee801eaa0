import { SimpleGrid, Stack, Text } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Select } from '../parts/forms/select.tsx'
import { CodeBlock } from '../parts/values/code-block.tsx'
import { agentSnippets } from './agent-snippets.ts'
import { curlSnippets } from './curl-snippets.ts'
import { sdkSnippets } from './sdk-snippets.ts'
import type { Snippet } from './snippet.ts'

const all: readonly Snippet[] = [...curlSnippets, ...sdkSnippets, ...agentSnippets]
const groups = ['curl', 'sdk', 'agent'] as const
const keyVariable = '$TOLLGATE_KEY'

interface SnippetsProps {
  readonly root: string
  readonly models: readonly string[]
  /** Absent while the key is hidden; the examples then use a variable. */
  readonly value?: string | undefined
}

/** Examples for using a key, by client. */
export function Snippets({ root, models, value }: SnippetsProps) {
  const { t } = useTranslation()
  const [chosen, choose] = useLocalStorage({ key: 'tollgate-client', defaultValue: 'curl-chat' })
  const [model, setModel] = useState<string>()
  const snippet = all.find(({ id }) => id === chosen) ?? curlSnippets[0]
  const named = model !== undefined && models.includes(model) ? model : models[0]
  if (named === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {t('snippets.noModels')}
      </Text>
    )
  }
  const choices = groups.map((group) => ({
    group: t(`snippets.group.${group}`),
    items: all
      .filter((each) => each.group === group)
      .map(({ id, label }) => ({ value: id, label: group === 'curl' ? `curl · ${label}` : label })),
  }))
  const parts = snippet?.parts({ root, key: value ?? keyVariable, model: named }) ?? []
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label={t('snippets.client')}
          data={choices}
          value={snippet?.id ?? null}
          onChange={(id) => id !== null && choose(id)}
          searchable
          allowDeselect={false}
          maxDropdownHeight={360}
        />
        <Select
          label={t('snippets.model')}
          data={[...models]}
          value={named}
          onChange={(id) => id !== null && setModel(id)}
          searchable
          allowDeselect={false}
        />
      </SimpleGrid>
      {parts.map((part) => (
        <CodeBlock
          key={`${snippet?.id} ${part.file ?? part.text}`}
          text={part.text}
          title={part.file ?? t('snippets.terminal')}
        />
      ))}
      {value === undefined && (
        <Text size="xs" c="dimmed">
          {t('snippets.placeholder')}
        </Text>
      )}
    </Stack>
  )
}
