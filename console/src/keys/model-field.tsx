import {
  Alert,
  Checkbox,
  Group,
  Paper,
  ScrollArea,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ModelChoice } from '../../../src/console-api/contract.ts'
import { IconAlertTriangle, IconSearch } from '../icons/icons.ts'
import { memoized } from '../parts/forms/memoized.tsx'

interface ModelFieldProps {
  readonly choices: readonly ModelChoice[]
  /** The key's groups, to mark models that they do not offer. */
  readonly groups: readonly string[]
  readonly isRestricted: boolean
  readonly models: readonly string[]
  readonly onRestrict: (isRestricted: boolean) => void
  readonly onChange: (models: string[]) => void
}

const shownMax = 200

/** A switch with a searchable list of models. An enabled but empty list shows a warning. */
export const ModelField = memoized(function ModelField(props: ModelFieldProps) {
  const { choices, groups, isRestricted, models, onRestrict, onChange } = props
  const { t } = useTranslation()
  const [search, setSearch] = useState('')
  const needle = search.trim().toLowerCase()
  const gone = models.filter((id) => !choices.some((choice) => choice.id === id))
  const all = [...gone.map((id) => ({ id, displayName: '', groups: [] })), ...choices]
  const found = all.filter(({ id, displayName }) =>
    `${id} ${displayName}`.toLowerCase().includes(needle),
  )
  return (
    <Stack gap="xs">
      <Switch
        label={t('keys.form.restrict')}
        description={t('keys.form.restrictText')}
        checked={isRestricted}
        onChange={(event) => onRestrict(event.currentTarget.checked)}
      />
      {isRestricted && (
        <>
          <TextInput
            placeholder={t('keys.form.modelSearch')}
            aria-label={t('keys.form.modelSearch')}
            leftSection={<IconSearch size={15} />}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
          <Paper withBorder>
            <ScrollArea.Autosize mah={260} type="auto">
              <Checkbox.Group value={[...models]} onChange={onChange} aria-label={t('keys.models')}>
                <Stack gap={0} p={6}>
                  {found.slice(0, shownMax).map((choice) => (
                    <Checkbox
                      key={choice.id}
                      value={choice.id}
                      px={6}
                      py={5}
                      label={<ModelLabel choice={choice} groups={groups} />}
                    />
                  ))}
                  {found.length === 0 && (
                    <Text size="sm" c="dimmed" p="xs">
                      {t('nothingFound')}
                    </Text>
                  )}
                </Stack>
              </Checkbox.Group>
            </ScrollArea.Autosize>
          </Paper>
          {models.length === 0 ? (
            <Alert color="orange" icon={<IconAlertTriangle size={18} />} py="xs">
              {t('keys.form.noneAllowed')}
            </Alert>
          ) : (
            <Text size="xs" c="dimmed">
              {t('keys.form.modelsChosen', { count: models.length })}
            </Text>
          )}
        </>
      )}
    </Stack>
  )
})

function ModelLabel({ choice, groups }: { choice: ModelChoice; groups: readonly string[] }) {
  const { t } = useTranslation()
  const isReachable = choice.groups.some((group) => groups.includes(group))
  return (
    <Group gap={6}>
      <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {choice.id}
      </Text>
      {!isReachable && (
        <Text size="xs" c="orange">
          {t('keys.form.notReachable')}
        </Text>
      )}
    </Group>
  )
}
