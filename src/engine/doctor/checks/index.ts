import type { Check } from '../finding.js';
import {
  clashes,
  disabledServers,
  editedEntries,
  goneEntries,
  invalidEntries,
  invalidKeys,
  oldClients,
  unreadableRecords,
} from './entries.js';
import { duplicateKeys, unreadableFiles, unsupportedSyntax, wrongContainers } from './files.js';
import { deadPaths } from './paths.js';
import { outdatedPackages, unavailableRegistries, vulnerablePackages } from './published.js';
import { clearTextSecrets, missingSecrets, readableSecrets } from './secrets.js';
import { failedStarts, frozenChanges, lostTools, tokenBudgets, toolCounts } from './started.js';
import { untrustedFolders } from './trust.js';

/** Every check. A new check takes effect by being listed here. */
export const checks: readonly Check[] = [
  unreadableFiles,
  unsupportedSyntax,
  duplicateKeys,
  wrongContainers,
  invalidEntries,
  invalidKeys,
  deadPaths,
  editedEntries,
  goneEntries,
  unreadableRecords,
  failedStarts,
  frozenChanges,
  clashes,
  readableSecrets,
  clearTextSecrets,
  missingSecrets,
  untrustedFolders,
  disabledServers,
  toolCounts,
  tokenBudgets,
  lostTools,
  outdatedPackages,
  vulnerablePackages,
  unavailableRegistries,
  oldClients,
];
