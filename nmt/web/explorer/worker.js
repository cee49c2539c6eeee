// The thread of the explorer.

import { answerTasks } from "../tasks.js";
import { explore, forced, scoreParts } from "./trace.js";

answerTasks({ explore, forced, scoreParts });
