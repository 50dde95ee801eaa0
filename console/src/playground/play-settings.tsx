import { Anchor, Group, NumberInput, Stack, Switch, Textarea } from '@mantine/core'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { readTools, sampleTools } from './tools-text.ts'

/** Values of the settings form. */
export interface PlayFields {
  readonly system: string
  readonly maxTokens: number
  readonly temperature: number | undefined
  readonly isStream: boolean
  readonly toolsText: string
}

export const firstFields: PlayFields = {
  system: '',
  maxTokens: 1_024,
  temperature: undefined,
  isStream: true,
  toolsText: '',
}

interface PlaySettingsFormProps {
  readonly fields: PlayFields
  readonly onChange: (change: Partial<PlayFields>) => void
}

/** Memoized, so that streaming does not re-render it. */
export const PlaySettingsForm = memo(function PlaySettingsForm({
  fields,
  onChange,
}: PlaySettingsFormProps) {
  const { t } = useTranslation()
  const isWrong = readTools(fields.toolsText) === undefined
  return (
    <Stack gap="sm">
      <Textarea
        label={t('play.system')}
        placeholder={t('play.systemHint')}
        autosize
        minRows={2}
        maxRows={8}
        value={fields.system}
        onChange={(event) => onChange({ system: event.currentTarget.value })}
      />
      <Group grow align="flex-start">
        <NumberInput
          label={t('play.maxTokens')}
          min={1}
          max={1_000_000}
          step={256}
          allowDecimal={false}
          value={fields.maxTokens}
          onChange={(value) => onChange({ maxTokens: typeof value === 'number' ? value : 1_024 })}
        />
        <NumberInput
          label={t('play.temperature')}
          min={0}
          max={2}
          step={0.1}
          decimalScale={2}
          placeholder="—"
          value={fields.temperature ?? ''}
          onChange={(value) =>
            onChange({ temperature: typeof value === 'number' ? value : undefined })
          }
        />
      </Group>
      <Switch
        label={t('play.stream')}
        checked={fields.isStream}
        onChange={(event) => onChange({ isStream: event.currentTarget.checked })}
      />
      <Textarea
        label={t('play.tools')}
        description={t('play.toolsHint')}
        error={isWrong && t('play.toolsWrong')}
        autosize
        minRows={2}
        maxRows={12}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
        value={fields.toolsText}
        onChange={(event) => onChange({ toolsText: event.currentTarget.value })}
      />
      {fields.toolsText === '' && (
        <Anchor
          component="button"
          type="button"
          size="xs"
          style={{ alignSelf: 'flex-start' }}
          onClick={() => onChange({ toolsText: sampleTools })}
        >
          {t('play.toolsSample')}
        </Anchor>
      )}
    </Stack>
  )
})
