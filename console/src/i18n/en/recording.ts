export const recordingTexts = {
  'recording.title': 'Recording',
  'recording.text':
    'Stores the request and response bodies of this account, encrypted. Only owners of the account can enable it.',
  'recording.recorded': 'What is recorded',
  'recording.recordedHint':
    'Bodies can contain personal data. Headers and key values are never recorded.',
  'recording.keyCount_one': 'The requests of {{count, number}} key',
  'recording.keyCount_other': 'The requests of {{count, number}} keys',
  'recording.ownKeys': 'The requests of chosen keys. Your own keys among them: {{count, number}}.',
  'recording.readers': 'Who may read: {{readers}}',
  'recording.operatorsMay': 'Administrators of the gateway may read too.',
  'recording.operatorsMayNot': 'Administrators of the gateway may not read.',
  'recording.kept_one': 'Deleted after {{count, number}} day.',
  'recording.kept_other': 'Deleted after {{count, number}} days.',
  'recording.stored':
    'Stored: {{size}} of {{max, number}}. When full, new recordings replace the oldest ones.',
  'recording.becomeOwner':
    'You are an administrator and not an owner of this account. To change this, make yourself an owner under “Members”.',
  'recording.change': 'Change',
  'recording.changeTitle': 'Recording settings',
  'recording.keys': 'Recorded keys',
  'recording.noKeys': 'Select at least one key.',
  'recording.days': 'Retention in days',
  'recording.daysHint_one': 'This gateway deletes recordings after {{count, number}} day at most.',
  'recording.daysHint_other':
    'This gateway deletes recordings after {{count, number}} days at most.',
  'recording.saved': 'Recording settings saved. They apply to new requests.',
  'recording.export': 'Export recordings',
  'recording.exportText': 'Download requests and responses as JSON Lines.',
  'recording.exportHint':
    'The file contains the bodies without encryption. Each export is listed in the audit log.',
  'recording.exportOpen': 'Export',
  'recording.incomplete': 'The export is incomplete. Export a shorter date range.',
  'recording.erase': 'Erase by end-user ID',
  'recording.eraseText': 'Delete all recordings of one person who uses your application.',
  'recording.eraseOpen': 'Erase…',
  'recording.endUserNeeded': 'Enter the end-user ID.',
  'recording.eraseHint':
    'Enter the ID that your application sends, for example in safety_identifier, user or metadata.user_id.',
  'recording.eraseAction': 'Erase recordings',
  'recording.eraseTitle': 'Erase all recordings of “{{id}}”?',
  'recording.eraseWarning':
    'This cannot be undone. Existing backups keep the recordings until the backups are deleted.',
  'recording.erased_one': '{{count, number}} recording erased.',
  'recording.erased_other': '{{count, number}} recordings erased.',
}
