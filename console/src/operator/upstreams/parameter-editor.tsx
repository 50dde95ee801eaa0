import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { outputLimitKind } from '../../../../src/catalog/definition/policy.ts'
import { IconPlus, IconX } from '../../icons/icons.ts'
import { memoized } from '../../parts/forms/memoized.tsx'
import { Select } from '../../parts/forms/select.tsx'
import { type ParameterRow, type Parameters, parameterKinds } from './parameter-rows.ts'

/** Editor for the parameter rules of a route, one rule per line. */
export const ParameterEditor = memoized(function ParameterEditor(props: {
  value: Parameters
  onChange: (value: Parameters) => void
  error?: ReactNode
}) {
  const { t } = useTranslation()
  const { rows, outputLimit } = props.value
  const setRows = (next: readonly ParameterRow[]) => props.onChange({ ...props.value, rows: next })
  return (
    <Stack gap="xs">
      <Text size="xs" c="dimmed">
        {t('parameters.about')}
      </Text>
      {rows.map((row, index) => (
        <Line
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name of their own while they are typed.
          key={index}
          row={row}
          place={index + 1}
          onChange={(changed) => setRows(rows.map((each) => (each === row ? changed : each)))}
          onRemove={() => setRows(rows.filter((each) => each !== row))}
        />
      ))}
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<IconPlus size={14} />}
        style={{ alignSelf: 'flex-start' }}
        onClick={() => setRows([...rows, { kind: 'drop', name: '', value: '', most: '' }])}
      >
        {t('parameters.add')}
      </Button>
      <Select
        label={t('parameters.outputLimit')}
        placeholder={t('parameters.outputLimitAuto')}
        data={[...(outputLimitKind.choices ?? [])]}
        clearable
        clearButtonProps={{ 'aria-label': t('operate.clear') }}
        value={outputLimit ?? null}
        onChange={(name) =>
          props.onChange({
            ...props.value,
            outputLimit: outputLimitKind.written.safeParse(name).data,
          })
        }
      />
      {props.error && (
        <Text size="xs" c="red" role="alert">
          {props.error}
        </Text>
      )}
    </Stack>
  )
})

function Line(props: {
  row: ParameterRow
  place: number
  onChange: (row: ParameterRow) => void
  onRemove: () => void
}) {
  const { t } = useTranslation()
  const { row, place, onChange } = props
  const field = (part: 'name' | 'value' | 'most', label: string) => (
    <TextInput
      size="xs"
      aria-label={`${label} (${place})`}
      placeholder={label}
      value={row[part]}
      onChange={(event) => onChange({ ...row, [part]: event.currentTarget.value })}
      style={{ flex: '1 1 86px' }}
    />
  )
  return (
    <Group gap={6} wrap="nowrap" align="flex-start">
      <Group gap={6} flex={1}>
        <Select
          size="xs"
          w={110}
          aria-label={`${t('parameters.kind')} (${place})`}
          data={parameterKinds.map((kind) => ({
            value: kind,
            label: t(`parameters.kind.${kind}`),
          }))}
          allowDeselect={false}
          value={row.kind}
          onChange={(kind) => {
            const chosen = parameterKinds.find((each) => each === kind)
            if (chosen) onChange({ ...row, kind: chosen })
          }}
        />
        {field('name', row.kind === 'headers' ? t('parameters.header') : t('parameters.field'))}
        {row.kind === 'rename' && field('value', t('parameters.newName'))}
        {row.kind === 'clamp' && field('value', t('parameters.least'))}
        {row.kind === 'clamp' && field('most', t('parameters.most'))}
        {(row.kind === 'default' || row.kind === 'headers') &&
          field('value', t('parameters.value'))}
      </Group>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t('parameters.remove', { place })}
        onClick={props.onRemove}
      >
        <IconX size={15} />
      </ActionIcon>
    </Group>
  )
}
