// The thread of the translator page.

import { answerTasks } from "./tasks.js";

answerTasks({ translate: (translator, { text }) => translator.translate(text) });
