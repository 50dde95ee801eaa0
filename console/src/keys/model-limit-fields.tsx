import { ActionIcon, Group, Paper, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ModelChoice } from '../../../src/console-api/contract.ts'
import type { ModelLimit } from '../../../src/keys/definition/key.ts'
import { IconX } from '../icons/icons.ts'
import { LimitInputs, limitEntries, limitsOfEntries } from '../parts/forms/limit-inputs.tsx'
import { Select } from '../parts/forms/select.tsx'

interface ModelLimitFieldsProps {
  readonly choices: readonly ModelChoice[]
  readonly value: readonly ModelLimit[]
  readonly error: string | undefined
  readonly onChange: (limits: readonly ModelLimit[]) => void
}

/** Rate limits of a key for single models. */
export function ModelLimitFields({ choices, value, error, onChange }: ModelLimitFieldsProps) {
  const { t } = useTranslation()
  const named = new Set(value.map(({ model }) => model))
  const put = (model: string, entries: ReturnType<typeof limitEntries>) =>
    onChange(
      value.map((each) => (each.model === model ? { model, ...limitsOfEntries(entries) } : each)),
    )
  return (
    <Stack gap="xs">
      <div>
        <Text size="sm" fw={600}>
          {t('keys.form.modelLimits')}
        </Text>
        <Text size="xs" c="dimmed">
          {t('keys.form.modelLimitsText')}
        </Text>
      </div>
      {value.map((each) => (
        <Paper key={each.model} withBorder p="xs">
          <Group justify="space-between" wrap="nowrap" mb="xs">
            <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
              {each.model}
            </Text>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('order.remove', { name: each.model })}
              onClick={() => onChange(value.filter(({ model }) => model !== each.model))}
            >
              <IconX size={16} />
            </ActionIcon>
          </Group>
          <LimitInputs
            of={each.model}
            inputProps={(name) => ({
              value: limitEntries(each)[name],
              onChange: (typed) =>
                put(each.model, {
                  ...limitEntries(each),
                  [name]: typed === '' ? '' : Number(typed),
                }),
            })}
          />
        </Paper>
      ))}
      <Select
        key={value.length}
        searchable
        aria-label={t('keys.form.addModelLimit')}
        placeholder={t('keys.form.addModelLimit')}
        error={error}
        value={null}
        data={choices.map(({ id }) => id).filter((id) => !named.has(id))}
        onChange={(model) => {
          if (model !== null)
            onChange([...value, { model, ...limitsOfEntries(limitEntries(undefined)) }])
        }}
      />
    </Stack>
  )
}
