export { groupGone, groupRuns, killGroup, listProcesses } from './process-group.js';
export { openWorkFolder, type WorkFolder } from './work-folder.js';
